"""Sessions made from what others have: lists of links, compressed graphs, WARC files.

A file is read as it is or unpacked (`gzip_files`); `SourceError` (`source`) says what is wrong in it and where.  Of a
graph come the links as pairs of page numbers (`edge_list`, or `webgraph` with the codes of `bit_codes` and the lists of
`bv_successors`), and the pages' URLs and sizes (`page_list`).  `graph` makes both a session: equal pages become one,
links distinct (`edges` is that for a list of links).  `warc_reader` and `http_message` take WARC files apart; what the
pages say is read in the crawler (`crawler.pages.warc_import`).  Everything is written through `imported_session`: into
a folder beside the final one, which gets its name when the session is whole.
"""
