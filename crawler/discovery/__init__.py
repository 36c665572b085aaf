"""From found links to the frontier, and to the ranks that own the rest.

`discovery` takes batches of links (`crawler.urls.batch`), keeps what is in `scope`, asks the assignment who owns each
URL, and splits the batch.  Own URLs are looked up in `url_seen`, a DRUM that remembers the shortest way to each; new
ones within the `depth_limits` go to the ordering if `admission` lets them: filters, ports, and the marks of
`spider_traps`.  URLs of other ranks wait in `outboxes` for the end of the superstep.
"""
