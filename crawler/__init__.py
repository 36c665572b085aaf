"""What a rank does: a ring of five rooms that a URL goes round, a roof that starts and steers it, a cellar below.

The ring.  `crawler.discovery` takes the links of a page: the URLs that this rank owns are looked up in URL-seen and
admitted, the others wait in outboxes.  At the end of a superstep `crawler.exchange` carries the outboxes to their
owners, and all ranks reach the same verdict.  `crawler.frontier` decides in what order a rank's URLs are fetched.
`crawler.fetching` visits sites: it decides when, and requests pages.  `crawler.intake` reads what came, compares it
with what came before, records it, and hands its links to discovery again.

Beside the ring.  `crawler.politeness` keeps the delays of sites and servers over all ranks; `crawler.pages` turns a
response into characters and links; `crawler.network` is the web itself, libcurl and DNS.

The roof.  `crawler.main` is the command line and `crawler.commands` its subcommands; `crawler.launch` plans a run and
starts the ranks; `crawler.rank` is a rank's loop and how it is put together; `crawler.replay` runs the same rank on a
recorded session, or computes what it would do.

The cellar.  `crawler.config` has the options, `crawler.monitoring` the counters and what watches them, `crawler.drum`
the disk repositories, `crawler.urls` batches and tables of URLs, `crawler.process` what every process needs: signals,
limits, waiting, and a safe way to say something.

Imports go down only, room by room; pyproject.toml has the layers, and lint holds them.
"""
