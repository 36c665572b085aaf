"""What to crawl next: URLs with priorities, made of one or more sessions by `cutweb worklist`, on disk as a folder.

`worklist` opens such a folder for reading; `manifest` is its worklist.json, and `rows` its Parquet files.
docs/formats.md is the contract.  `defaults` hold unless the command says otherwise.

`make_worklist` makes one, by one process or all ranks, as map and reduce.  Each rank reads its `table_share`; in its
`workspace` records travel to the rank that their hash names, and a `record_sorter` sorts them on disk (`pair_order` is
for links).  `fetches` says which visits of a URL are the last two, `link_sums` what links these have, `url_rows` which
URLs are listed, and with what priority: by a choice of `formulas`, for which `page_rank` is computed, or
`rate_estimates` by `change_rates`.  `sorted_streams` are how all this is read side by side; `global_order` brings the
rows of all ranks into one order.
"""
