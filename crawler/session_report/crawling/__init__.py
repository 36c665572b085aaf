"""How a crawl went: figures over its pages and its time, each in a file with its definition.

JoMaGic (University of Michigan, 2005) drew `hot_pages`, `diversity` and `fetch_rates` of its crawls, Anansi (thesis,
North Carolina State University, 2010) `daily_fetches`, IRLbot (WWW 2008) rates and `new_links`; `rank_loads` are ours.
`samples` chooses the places at which curves are told.
"""
