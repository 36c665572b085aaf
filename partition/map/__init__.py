"""The partition map: who owns which URL, on disk, as `cutweb partition` writes it and every rank of a crawl reads it.

`writing` makes the folder, whole or not at all: its `files`, and a `manifest` that says where the map comes from and
what the files must be.  `table` opens it: hashes in order (`hashorder`, on `packed` integers) lead to a URL's part and
its number, a trie from the number to the URL's text, and `prefixtable` to the parts of URLs that the map does not hold,
which `majority` derives from those it holds.  `ownership` is the map as an `Assignment`, with the rule for unknown
URLs.  `numbering` is the short form in which known URLs travel between ranks.  docs/formats.md is the contract.
"""
