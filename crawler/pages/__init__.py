"""From the bytes of a response to characters, links, and a row of the pages table.

`response_reader` goes the way: headers, `content_type`, `content_decoding`, `charset` (by the `prescan` of the HTML
standard, with the tables of `web_codecs`), `links` (lxml, after `html_masking` has covered what libxml2 reads otherwise
than the standard), `robots_meta`.  `page_row` is what is recorded of it.  `warc_import` reads WARC files in the same
way.  `retry_after` is how long a server asks to be left alone, in seconds or until an `http_date`.
"""
