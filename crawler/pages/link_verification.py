"""Verified links: what the answer to a HEAD says of the GET that it comes before.

An answer that speaks against a URL has it filtered.  A server that does not do what a HEAD asks for says nothing of the
page, so the GET is made.  Source: Anansi (thesis, North Carolina State University, 2010), whose rule is `STRICT`.
"""

from crawler.pages.content_type import essence_of, may_be_html

HTML, STRICT, NO_RULE = "html", "strict", "none"
RULES = (HTML, STRICT, NO_RULE)
"""After which answers a GET follows: those of what may be HTML, those of Anansi's; or no HEAD is sent."""
OF_HEADS = "head-"
"""What the reasons begin with for which URLs are filtered."""
_DOES_NOT_TELL = {403, 405, 501}
"""What servers that forbid, or do not know, a HEAD answer it with; so do all of 5xx."""
_OF_THE_THESIS = {200, 302}


def refusal(rule: str, status: int, content_type: str | None) -> str:
    """Return why no GET follows a HEAD that is answered with this status and Content-Type; empty if one does.

    The reason is ``head-`` and the status, or ``head-type``.  ``rule`` is `HTML` or `STRICT`.
    """
    if rule == STRICT:
        may_follow, is_wanted = status in _OF_THE_THESIS, essence_of(content_type or "") == "text/html"
    else:
        is_good = 200 <= status < 300
        may_follow = is_good or 300 <= status < 400 or status >= 500 or status in _DOES_NOT_TELL
        is_wanted = not is_good or may_be_html(content_type)
    if not may_follow:
        return f"{OF_HEADS}{status}"
    return "" if is_wanted else f"{OF_HEADS}type"
