"""How good a way of sharing pages is: every figure of the paper's tables and those that a crawl on it will feel.

A *trial* is one model at one K with one seed.  `trial` computes the assignment and what came of it:
`partition.measures` says it of any list of parts, `map_costs` of the partition map written from it.  `trials` runs
many, each in a process of its own (`fork_server`, after a `warm_start`), and `request` says which.  `figures` names
each figure with its unit and meaning; `mean_results` are the means over seeds.  `make_report` goes from a session
(`dataset`) to a `report` and writes it, whole or not at all (`sessions.writing.atomic_folder`): report.json, the CSVs
of `csv_files`, and report.html, which `html_page` sets from an `answer`, the pieces of `partition.report`, and
`cut_pictures` of the best.  If there is a previous map, `migration` says what it costs and saves to leave its owners,
with a `knee` in the curve of the two, which `migration_page` shows.
"""
