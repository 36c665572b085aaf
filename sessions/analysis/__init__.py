"""What a session amounts to, and what changed between two of them.

`summary` adds up the last commit record of each run; `completeness` says whether a crawl was ended early; `difference`
compares two sessions by the `last_fetches` of their pages, put side by side by `both_webs`, `external_difference` by
their links out of scope; `difference_figures` is what comes of it.  A `portrait` has what a session holds in
distributions, and `largest_sites` those of most pages.
"""
