"""A session one can look at: a page of its sites, answers, types, depths, degrees, times and ranks.

`figures` gathers what is told, all of it from the session's tables and counters; `answer` says it in a sentence, `page`
shows it, and `make_report` writes both, and the figures as JSON and CSV, into a folder.
"""
