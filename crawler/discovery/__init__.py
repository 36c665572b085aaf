"""From found links to the frontier, and to the ranks that own the rest.

`discovery` takes batches of links (`crawler.urls.batch`), keeps what is in `scope`, asks the assignment who owns each
URL, and splits the batch.  `own_urls` looks own URLs up in `url_seen`, a DRUM that remembers the shortest way to each,
behind the `known_ways` of those that come often; those that it admits, new ones and ones that come within the
`depth_limits` now, go to the ordering if `admission` lets them: filters, ports, and the marks of `spider_traps`.
`external_links` are those out of scope.  `sent_urls` looks URLs of other ranks up in a second URL-seen; those that it
admits wait in `outboxes` for the end of the superstep.

Ahead of an epoch's end, `early_merge` has what waits in either merged in pieces.

What a call adds is one thing, and what is admitted by it another: on disk a merge admits what was added long ago.  So
URL-seen returns batches of admitted URLs, as a merge goes on, and whoever asked deals with each.  A URL that a rule
refuses is settled in URL-seen when all of them have been dealt with.
"""
