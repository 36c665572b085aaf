"""Sessions one can look at: a page of how they crawled, what they saw, and the graph of their links.

`make_report` opens the sessions, in the order of time, checks their files and writes a folder.  `figures` gathers what
is told of a session alone, all of it from its tables and counters; `answer` says it in a sentence.  `session_arrays`
holds one session; modules in `crawling`, `web` and `graph` make a `report_figure` of it each, and
`chapters` names them in their order.  `figure_markup` shows them, `page` all of it.
"""
