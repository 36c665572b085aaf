"""From the bytes of a response to characters, links, and a row of the pages table.

`response_reader` goes the way: headers, `content_type`, `content_decoding`, `charset` (by the `prescan` of the HTML
standard, with the tables of `web_codecs`), `link_finder`, `robots_meta`.  Links are found by `links` (lxml, after
`html_masking` has covered what libxml2 reads otherwise than the standard: `html_suspects` finds such pages, and
`html_elements` has the standard's names), or, once a crawl is long enough, by `page_scanner`, which does the same
several times as quickly in most pages: `link_scan` finds where they stand (by `html_tokens`), `plain_links` joins and
hashes them, and what is neither goes by `attribute_text` to ada, or to `links` as a whole.  `page_row` is what is
recorded of it.  `warc_import` reads WARC files in the same way.  `http_date` reads the dates of headers, and
`link_verification` what the answer to a HEAD says of the page.
"""
