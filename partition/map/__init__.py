"""The partition map: who owns which URL, on disk, as `cutweb partition` writes it and every rank of a crawl reads it.

`write_map` makes the folder, whole or not at all: its `file_names`, and a `manifest` that says where the map comes from
and what the files must be.  `partition_map` opens it: hashes in order (`hash_index`, on `packed_integers`) lead to a
URL's part and its number, a trie from the number to the URL's text, and `prefix_table` to the parts of URLs that the
map does not hold, which `majority_prefixes` derives from those it holds.  `partition_assignment` is the map as an
`Assignment`, with the rule for unknown URLs.  `url_numbers` is the short form in which known URLs travel between ranks.
docs/formats.md is the contract.
"""
