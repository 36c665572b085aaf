"""A rank: its loop, how it is put together, and how it goes on with a session.

`rank` is the loop of supersteps: `fetch_loop` visits sites (`pacing` says how long), `superstep_exchange` is what
ranks say to each other, in which a `superstep_participant` has its say, and again, until they agree to end;
`left_urls` records what is left then.  `assembly` puts the parts together from a plan, `visits_assembly` those that
visit the live web (with the `site_limits` that options ask for); `live_rank` makes a rank that goes by an ordering, or
has `listing_rank` make one that keeps to the `listed_urls` of a worklist; `visiting_rank` has what both share.  `crawl`
runs a crawl of the live web and commits the session epoch by epoch (`epoch_schedule`), watched by `watchers`;
`silence_limit` ends ranks that wait too long for one that hangs, and `operator_wishes` has all pause and
`rule_changes` follows a file of rules.  `merge_share` says how much a merge takes, `epoch_growth` how much an epoch.
`resuming` fills the parts again from a session's tables.
"""
