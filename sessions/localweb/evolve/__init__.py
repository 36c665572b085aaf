"""An evolving web: the same web some days later.

`evolve` reads a `snapshot`, lets pages and sites live and die (`turnover`, by `rates`), and writes what is new
(`new_pages`) and edited (`html_edit`).  `rewiring` says who links to whom then, by a `copying_model`, so that all that
lives stays within `reach` of the seeds.
"""
