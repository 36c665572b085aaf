"""Going on with a session: from what its tables say back to what a rank keeps in memory, in queues and in DRUMs.

An epoch commits tables and bodies, and nothing else: they are the state, all else follows from them.  So an epoch
copies nothing, files of queues and DRUMs may be lost with the machine, and going on with other ranks is no other thing
than going on with the same.

`recorded` lets the session's configuration stand in for the options that are not given; `crawler.launch.resume_plan`
checks, and takes the session over so that what is left of an earlier run can commit nothing more.  Then every rank
fills its own parts, a batch of rows at a time (`restore`): `rows` says which tables' files it has to read; `frontier`
tells URL-seen what was discovered and queues what was not settled, `sent` what others were sent; `robots`, `rests`,
`documents`, `referrals`, `page_counts`, `rule_counts` and `back_links` refill what gatekeepers and orderings know.
"""
