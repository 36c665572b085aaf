"""The files that a session is made of, and how they come to be whole.

`tables` are Parquet files.  `warc` records hold the bodies, each in one of `gzip_members`; a `warc_file` holds the
records (of which a `stored_head` and a `warc_digest` are parts), `warc_index` finds a page in it, and `warc_members`
copies some of them.  `durable_json` survives a power cut.  `os_errors` name the file of an error; a `temporary_folder`
is gone after the work.  `sorted_keys` sorts on disk what memory does not hold.  Commands convert to Arrow
`without_pandas`.
"""
