"""A local web: a whole web on one machine, for demos, tests and benchmarks.

Two ways lead to a WARC file full of pages: a crawl that somebody did, or `generate`, which invents one.  There `make`
asks `roles` which pages are out of the ordinary (duplicates, framesets, slow ones ...), `link_graph` who links to whom,
`urls` what everything is called, `html` for the pages, and puts the result into a WARC file.

A web does not stay as it is: `evolve` makes of such a file another one, some days older.  `snapshot` reads the first,
`turnover` decides which pages and sites live, die and are born at the `rates` that studies found, `rewiring` who links
to whom (`copying_model` draws new links, `reach` sees to it that pages can be found), `html_edit` edits HTML and
`new_pages` writes it.  `web_files` puts a file and its seeds in their places.

Back from WARC files to pages on a socket leads `serve`.  `sessions.storage.warc_index` finds the record of every URL;
the `server` answers http and https on one port by Host header: a `connection` takes a request apart, `response` turns
the stored record into what goes over the wire, `tls` signs certificates for whatever host is asked for.  `LocalWeb`
runs that server in a thread, which is what tests want.  `nginx_export` instead writes the pages as files, and
`nginx_config` the configuration with which nginx serves them, for benchmarks that should not share a core with Python.

Nothing listens under the names in the URLs, so a client is told to connect elsewhere: curl's ``--connect-to
::127.0.0.1:PORT``, and ``--cacert`` for https.
"""
