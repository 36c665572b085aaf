"""Delays that hold over all ranks: between two requests to one site, and to one server, whichever ranks make them.

The story of a site's first visit (docs/politeness.md has the whole of it):

1. The workbench of a rank gets a URL of a site that it knows nothing of, and asks the site's gatekeeper, a rank by hash
   (`messages`, `site_gatekeeper`, which keeps a `known_site`): where is it, what does its robots.txt say?
2. The gatekeeper looks the address up and has its own rank fetch the robots.txt, once for all ranks.  What it said is
   kept on disk too (`robots_cache`), so that a site that was forgotten is not asked again.
3. With these facts the rank knows the site's server, and tells the server's gatekeeper that it wants to visit it
   (`leases`, `server_gatekeeper`).
4. The server's gatekeeper gives out a lease, or turns if several ranks want the server.
   Where pages are capped (`page_caps`), `cap_gatekeeper` keeps account, and a rank its `allowances`.
5. The rank visits the site, when it and its server have rested (`agenda`, `delays`), and gives the lease back when
   others want it or it has nothing left to fetch.  When it next has something to do is the `soonest` of several times.

Where a session goes on, `earlier_rests` are those that sites were left with.  A robots.txt that redirects to another
site is followed in `robots_hops`.  A `site` is in one of the states of `site_state`, and has its entries (`entry`) in
one of the `backlogs`.

`messages` are what ranks say to each other, `mailbox` carries them, and `crawler.fetching.message_dispatch` hands each
to whom it is for.  A rank is its own gatekeeper for some sites and servers; what it says to itself takes the same way
without MPI.
"""
