"""What a user asks for: options, the TOML file, and the options of a session that goes on.

`crawl_options` declares every option of a crawl once: name, type, default, unit, meaning; `option_declaration` is how.
`command_line` makes `CrawlOptions` of the command line and a TOML file, and names every wrong value at once.
`resume_options` lets a session's own configuration stand in for what is not given.  `option_types` and `filters` are
kinds of values; `partition_options` and `rank_shares` are shared by the commands that cut a session.
"""
