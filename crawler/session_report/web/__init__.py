"""What a crawl saw of the web: figures of its pages and links, each in a file with its definition.

`answers` of sites and `domains` with their in-degrees; `change_and_age` are Anansi's.  `duplicates`, `broken_links` and
`back_links` are JoMaGic's (University of Michigan, 2005).
"""
