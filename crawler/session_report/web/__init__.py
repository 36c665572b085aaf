"""What a crawl saw of the web: figures of its pages and links, each in a file with its definition.

`duplicates`, `broken_links`, `back_links` and `popular_pages` are JoMaGic's (University of Michigan, 2005).
"""
