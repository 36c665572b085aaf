"""Visiting sites: which, when, and what is requested.

`visits` is the seam between a rank's loop and its requests.  For the live web it is `polite_visits`: a `workbench` that
knows which site may be visited when, a `fetcher` that requests its next page on the web (`crawler.network`), a
`robots_fetcher` for the sites whose gatekeeper this rank is, and a `message_dispatch` for what gatekeepers of other
ranks say.  A server has its share of the workbench and no more, however many hosts it has (`server_shares`, `room`);
what has no room is `parked` and comes back.  `refill_policy` says when URLs of other sites are let in.
"""
