"""What to crawl next: URLs with priorities, made of one or more sessions by `cutweb worklist`, on disk as a folder.

`worklist` opens such a folder for reading; `manifest` is its worklist.json, and `rows` its Parquet files.
docs/formats.md is the contract.
"""
