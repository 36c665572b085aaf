"""An invented web as a WARC file.

`make` writes it: `urls` names hosts and pages, `link_graph` links them, `roles` picks pages out of the ordinary, and
`html` writes the text.
"""
