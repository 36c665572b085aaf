"""How good a way of sharing pages is: every figure of the paper's tables and those that a crawl on it will feel.

A *trial* is one model at one K with one seed.  `trial` computes the assignment and what came of it: `measures` says it
of any list of parts (`balance`, `traffic`, `spread`, `numbered`), `map_costs` of the partition map written from it.
`trials` runs many, each in a process of its own, and `request` says which.  `figures`
names each figure with its unit and meaning; `mean_results` are the means over seeds.  `make_report` goes from a session
(`dataset`) to a `report` and writes it, whole or not at all (`sessions.writing.atomic_folder`): report.json, the CSVs
of `csv_files`, and report.html, which `html_page` sets from the `tables` and `plots`, both on the `scales` that suit
their figures, in the page's `style`, and from `cut_pictures` of the best.  If there is a previous map, `moves` says who
changes owners, and `migration` what that costs and saves, which `migration_page` shows.
"""
