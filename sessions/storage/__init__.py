"""The files that a session is made of, and how they come to be whole.

`tables` are Parquet files, `warc` files hold the bodies (in `gzip_members`; `warc_index` finds a page in them),
`durable_json` survives a power cut.  `os_errors` name the file of an error; a `temporary_folder` is gone after the
work.  `sorted_keys` sorts on disk what memory does not hold.
"""
