"""The partition map: who owns which URL, on disk, as `cutweb partition` writes it and every rank of a crawl reads it.

`write_map` makes the folder, by one process or all ranks, whole or not at all: rows lie on disk (`spilled_rows`, in
`spilled_batches`), a `key_sample` says where shards begin (`key_ranges`, on `url_texts`), and `write_shard` makes one
after the other.  A `manifest` says where the map comes from and what the files must be.

`partition_map` opens it: the text of a URL tells its shard and its site, its hash where it stands there
(`shard_layout`), which leads to its part and its number.  A trie leads from the number to the text (`shards`), and a
`prefix_table` to the parts of URLs that the map does not hold.  `majority_prefixes` derives those from the URLs that it
holds; `open_directories` counts what no shard knows alone.  `format_1` reads maps of earlier versions, on
`packed_integers`; `mapped_files` is for both.  `partition_assignment` is the map as an `Assignment`, with the rule for
unknown URLs (`unknown_rules`, `small_directories`).  `url_numbers` is the short form in which known URLs travel between
ranks.  docs/formats.md is the contract.
"""
