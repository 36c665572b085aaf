"""Sessions made from what others have: lists of links, compressed graphs, WARC files.

A file is read as it is or unpacked (`unpacked`); `SourceError` (`source`) says what is wrong in it and where.  Of a
graph come the links as pairs of page numbers (`edgelist`, or `webgraph` with the codes of `bits` and the lists of
`successors`), and the pages' URLs and sizes (`pagelist`).  `graph` makes both a session: equal pages become one, links
distinct.  `warcrecords` and `message` take WARC files apart; what the pages say is read in the crawler
(`crawler.warcimport`).  Everything is written through `imported`: into a folder beside the final one, which gets its
name when the session is whole.
"""
