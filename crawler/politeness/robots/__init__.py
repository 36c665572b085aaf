"""robots.txt by RFC 9309.

`parser` finds the rules that concern this crawler, `path_pattern` writes paths so that octets compare, `matcher`
decides which rule wins, and `rules` says what came of asking for the file: what holds, for how long (`http_freshness`),
and when to ask again.
"""
