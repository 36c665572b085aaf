"""What the ranks say to each other at the end of a superstep.

`link_exchange` carries the outboxes to their owners by MPI all-to-all, as text or, where both sides know a URL by its
number in the partition map, as numbers (`wire_format`).  It also tells every rank every other's state, from which each
comes to the same `verdict`: go on, close an epoch, or end.  `asking` is the seam for questions of all ranks to all
ranks, and `announcements` are what rank 0 tells all.  `bandwidth_share` shares out a limit of bytes, `page_quota` keeps
a page limit exact over ranks; `parallel_modes` are the modes of Cho and Garcia-Molina, which say what becomes of links
to other ranks' URLs.
"""
