"""What an operator says of sites while a crawl runs: a file of rules (docs/rules.md), and what it means for a URL.

`rule_file` reads the file: each ``[[rule]]`` names one `target` (a site, a domain, a URL prefix or a network) and gives
values for some of the `rule_keys`.  A `rule_book` says what all of them together mean for a site: of each key the most
specific rule that gives it counts.  That answer, a `rule_book.Ruling`, is worked out once for each site and kept in its
record (`crawler.politeness.site`), so that a URL costs a look at a field, however many rules there are.
`rules_in_force` is the book that holds now, the same on all ranks: it changes at the end of a superstep
(`crawler.rank.rule_changes`).

Of a `changed_file` only what differs is read, and a `rule_difference` says whom that concerns.  `rule_hits` are what
rules would decide in a session, and `rule_proxies` what proxies for some sites leave of the promises.
"""
