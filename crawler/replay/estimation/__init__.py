"""The course of a replay for any number of ranks in one process.

`estimate` goes from superstep to superstep: it takes pages from the `queues` (or `keyed_queues`), looks up their
links (`followed_links`), and makes of these `url_rows` new `instances` of URLs at ranks, or puts them into `outboxes`.
"""
