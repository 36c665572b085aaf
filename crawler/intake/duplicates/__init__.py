"""Documents that came before.

`content_seen` remembers the digest of every document, each on the rank that the digest names; ranks ask each other
(`content_messages`) at the end of a superstep.  Until the answer comes a page is one of the `pending_pages`, in a
`page_spool` that goes to disk when memory is used up.  `simhash` and `near_duplicates` find pages that say nearly the
same as another page of their site.
"""
