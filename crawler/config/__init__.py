"""What a user asks for: options, the TOML file, and the options of a session that goes on.

`crawl_options` declares every option of a crawl once: name, type, default, unit, meaning; `option_declaration` is how.
`network_options` and `order_options` are some of these, and `option_groups` have all of them as they are printed.
`command_line` makes `CrawlOptions` of the command line and a TOML file, and names every wrong value at once
(`suggestions` for what was mistyped, `refusing` with exit code 2); `early_options` are what a rank must know before.
`settings` of a room are the few options that it needs.  `resume_options` lets a session's own configuration stand in
for what is not given, `worklist_options` say what may stand beside a worklist, and `next_crawl` writes the command of
the crawl after.  `option_types`, `network_types` and `filters` are kinds of values; `partition_options`,
`balance_option`, `learning_options` and `rank_shares` are shared by the commands that cut a session.
"""
