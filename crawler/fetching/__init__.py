"""Visiting sites: which, when, and what is requested.

`visits` is the seam between a rank's loop and its requests.  For the live web it is `polite_visits`.  A URL goes this
way there:

1. `supply` puts it into the FIFO of its site.  A server has its share of the `workbench` and no more, however many
   hosts it has (`server_shares`, `room`); what has no room is `parked` and comes back (`look_ahead`: how many it takes
   at once).  `refill_policy` says when URLs of other sites are let in.
2. `site_lifecycle` sees that the site can be visited: it has `site_knowledge` ask where the site is and what its
   robots.txt says, and has the server's lease asked for.  Answers come in at `gatekeeper_answers`.
3. `site_picker` hands the site to the `fetcher` when it may be visited, which requests the URL on the web
   (`crawler.network`) and leaves the site to rest.

`robots_fetcher` fetches the robots.txt of sites whose gatekeeper this rank is, and `message_dispatch` carries what
gatekeepers here and on other ranks say.  `site_table` has the sites by name, and `site_rests` say how long one rests.
Of an operator's rules, `blocked_sites` ends what they block, `rule_quotas` counts what they limit, and `proxy_outage`
has sites wait whose proxy lets nothing through.
"""
