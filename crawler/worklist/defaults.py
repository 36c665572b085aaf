"""What holds in `cutweb worklist` unless it is asked otherwise; the command names it in its help, and loads no more."""

CRAWL_SECONDS = 15_552_000
"""T_crawl of the thesis: 180 days."""
GONE = 2
"""Fetches in a row that were answered 404 or 410 and leave a URL out."""
MEMORY_MIB = 256
LEAST_MEMORY_MIB = 16
