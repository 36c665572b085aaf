"""Watching a crawl while it goes on; nothing here decides anything.

`counters` are what a rank counts, and a `stage_clock` tells where its CPU time goes.

At the end of each superstep the ranks tell each other their states (`crawler.exchange.verdict.Status`).  A `watcher`
makes of them what somebody wants to see: rank 0 writes them to SESSION/live.json (`live_file`), which ``cutweb info
--watch`` reads, shows them (`progress_display`, by `live_figures`), and serves them to Prometheus (`metrics`);
each rank writes its own to its log (`event_log`), beside the events that other modules tell (`events`); `usage_lines`
says what the ranks take.  Between supersteps ranks give signs of life, and miss those that do not (`presence`, by
`signs_of_life` and `silence`).  `crawler.rank.watchers` says who watches.  docs/watching.md is for users.
"""
