"""A local web, served.

`server` answers by Host header from WARC files, over http and https on one port (`connection`, `tls`, `response`).
`nginx_export` writes the same pages as folders for nginx, with its `nginx_config`.
"""
