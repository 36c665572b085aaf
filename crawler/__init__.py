"""What a rank does.

The story, in the order of the calls.  `main` is the command line; `launch` makes this process a rank, or starts
mpiexec, as `launchers` have left word.  Rank 0 checks the request (`configuration`, `options`, `plan`) and claims the
session; every rank then puts its parts together (`crawl`, with the help of `assembly`) and runs the loop in `rank`, one
superstep (`pacing`) after the other:

1. `ordering` (the frontier: breadth-first, or by `budgets` of domains; on `urlqueue` and `urlfiles`) hands URLs to the
   `visits`, a seam: `politevisits` are a `workbench`, which says which site may be visited when (each server has its
   share of its `room`, `shares`; the rest waits in `backlogs` and comes back as `parked` says), and by `letin` when it
   wants others, a `fetcher`, and the correspondence with gatekeepers (`politeness`).
2. `fetcher` picks a site, asks for its robots.txt first (`robots`), spends a credit (`credits`) and starts a request on
   the `web`, a seam: `network` is libcurl (`transfer`, `pace`, `keptsockets`) beside c-ares (`resolver`); `connect_to`,
   `addresses` and `contact` say where it may connect.
3. The `intake` reads a response (`reading`: `content`; `charset`, by `prescan` and `web_codecs`; `links`) and records
   it (`pagerow`, `sessions.writing.recorder`), having compared it (`comparing`) with what came before anywhere in the
   cluster (`contentseen`, `contentquestions`; meanwhile it is one of the `waitingpages` in the `pagespool`), with its
   site's pages (`simhash`, `nearduplicates`) and with the `previous` session; its links go to `discovery`: batches of
   URLs (`urlbatch`) are hashed, filtered (`scope`), owned (`partition`), and checked against what was `seen`, or sent.
   Own new URLs go to the ordering if they are within the `limits` and the rules admit them (`admission`: `filters`,
   `traps`), others' to an outbox.
4. At the superstep's end the ranks meet in `exchange`: outboxes change hands (`frontcoding`, or `wire` where
   both sides know a URL by its number in a partition map, which `heldmap` has compared), domains get their `budgets`,
   every rank sees every rank's state and comes to the same verdict (`verdict`): go on, close an epoch
   (`epoch_schedule`), or end.

What grows with the crawl has a budget of memory, and is on disk beyond that: URLs seen and sent, documents, robots.txt
files and in-degrees of domains on `drum`, which answers when it merges.  What need not be remembered for good is in
`generations` on `keytable`, of which the older is forgotten.

`counters` and `stages` know what was done and what it cost; `progress` shows it.

`replay` has other visits, another web and another pacing, and the same rank; so it needs no network, and can be
estimated without MPI.
"""
