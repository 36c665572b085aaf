"""STAR and BEAST: how many pages a domain may have, and how that is kept without dropping any.

Every link between domains that a rank records goes to its `star.Star`, which at a superstep's end sends new pairs
(`referrals`) to the ranks that count them (`in_degrees`, in two DRUMs) and is told the in-degrees of the domains whose
URLs have come in (`degree_cache`).  A function (`budget_functions`; for one of them a `ranking` over all ranks) makes
budgets of these, or trust does that is handed on from the seeds (`trust`).  By budgets `beast`, the ordering, puts URLs
into its queues (`queue_pool`, `ring_placement`; `waiting` counts those of a domain, `domain_hashes` tell it), and
`budget_delays` says how long sites and servers rest. H.-T. Lee, D. Leonard, X. Wang, D. Loguinov, "IRLbot: Scaling to 6
Billion Pages and Beyond", WWW 2008; docs/budgets.md has the whole story.
"""
