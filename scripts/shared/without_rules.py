"""The options with which crawls are measured: without the rules and caps that are the default of the open web.

The first figures are from before they were, and made webs need none.
"""

WITHOUT_RULES = ("--no-traps", "--max-pages-per-site", "none", "--max-pages-per-domain", "none")
