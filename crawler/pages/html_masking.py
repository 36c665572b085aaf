"""Markup that libxml2 reads otherwise than the HTML standard, masked so that both find the same links in it.

libxml2 knows the standard's tokens, but builds no tree by its rules: links in templates count, `<script/>` is a whole
element, `<title>` in SVG swallows what follows, a frame is one wherever it stands.  Pages with such markup are rare.
`html_suspects` finds them from the tags that libxml2 saw on its way; `masked` goes through the tags of such a page as
the standard does, and blanks or renames what would mislead libxml2, which then reads the page once more.

Of the standard's tree only that is followed what decides about links: templates, foreign content (SVG and MathML) with
its integration points, framesets.  Section numbers are those of the HTML standard.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from crawler.pages.html_elements import (
    BEFORE_FRAMES_NONE,
    BREAKING_OUT,
    CLOSING_P,
    LINKING,
    MATH_POINTS,
    OF_HEAD,
    RAW_NAMES,
    RAW_TEXT,
    SVG_POINTS,
    VOID,
)

IsOver = Callable[[], bool]

_TAGS_AT_ONCE = 1024
_DEEPEST = 100  # open elements that are kept in mind
_LONGEST_VALUE = 4096
_SPACES = b" \t\n\f\r"
_SLASH = ord("/")

_SPACE = rb"[ \t\n\f\r]"
_ATTRIBUTE = (
    rb"(?:=[^ \t\n\f\r/>=]*+|[^ \t\n\f\r/>=]++)"
    rb"(?:" + _SPACE + rb"*+=" + _SPACE + rb"*+"
    rb"""(?:"[^"]*+"|'[^']*+'|[^ \t\n\f\r>"'][^ \t\n\f\r>]*+|(?=>))|(?!""" + _SPACE + rb"*+=))"
)
_MARKUP = re.compile(rb"<(?:!--|(/?)([a-zA-Z][^ \t\n\f\r/>]*+)|[!?]|/(?!>))")
_REST_OF_TAG = re.compile(rb"(?:[ \t\n\f\r/]++|" + _ATTRIBUTE + rb")*+>")
_COMMENT_END = re.compile(rb"-?>|.*?--!?>", re.DOTALL)
_LAST_WORD = re.compile(rb"[ \t\n\f\r\"']")
_CDATA = b"<![CDATA["
_SHADOW_ROOT = re.compile(_SPACE + rb"shadowrootmode" + _SPACE + rb"*=" + _SPACE + rb"*[\"']?(?:open|closed)\b", re.I)
_HIDDEN = re.compile(_SPACE + rb"type" + _SPACE + rb"*=" + _SPACE + rb"*[\"']?hidden\b", re.I)
_FONT_THAT_BREAKS_OUT = re.compile(_SPACE + rb"(?:color|face|size)(?![^ \t\n\f\r/>=])", re.I)
_HTML_ENCODING = re.compile(
    _SPACE + rb"encoding" + _SPACE + rb"*=" + _SPACE + rb"*[\"']?(?:text/html|application/xhtml\+xml)\b", re.I
)
_RAW_END = {name: re.compile(b"</%s(?=[ \\t\\n\\f\\r/>])" % name.encode(), re.I) for name in RAW_TEXT}
_SCRIPT_TURN = re.compile(rb"<!--|-->|<(/?)script(?=[ \t\n\f\r/>])", re.I)


def masked(text: bytes, is_over: IsOver) -> tuple[bytes, bool]:
    """Return a page of the same length in which libxml2 finds the links that the standard's tree has.

    It is the same object if nothing had to be masked.  The second value: ``is_over`` said so, and the rest is left out.
    """
    masker = _Masker(text)
    is_cut = masker.run(is_over)
    return masker.result(), is_cut


class _Open(NamedTuple):
    """An open element that matters: a template, one of foreign content, or an HTML element within that.

    ``kind`` is template, shadow (a template that is none, but a shadow root), foreign, point (a foreign element in
    which HTML may stand) or html.
    """

    kind: str
    name: bytes


class _Masker:
    """Goes through the tags of a document once; ``_at`` is where the next text begins."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._out: bytearray | None = None
        self._at = 0
        self._open: list[_Open] = []
        self._names: Counter[bytes] = Counter()  # of those in _open
        self._templates = 0
        self._template_start = 0
        self._may_be_frameset = True
        self._framesets: int | None = None
        self._html_open: Counter[bytes] = Counter()  # outside of all that is in _open
        self._is_in_body = False
        self._early_links: list[int] = []

    def result(self) -> bytes:
        """The text as masked so far."""
        return self._text if self._out is None else bytes(self._out)

    def run(self, is_over: IsOver) -> bool:
        """Mask all; whether the time was over before the end."""
        text, number = self._text, 0
        while match := _MARKUP.search(text, self._at):
            number += 1
            if number % _TAGS_AT_ONCE == 0 and is_over():
                self._cut()
                return True
            if self._may_be_frameset and text[self._at : match.start()].strip(_SPACES + b"\0"):
                self._may_be_frameset = False
            if match[2]:
                end = _REST_OF_TAG.match(text, match.end())
                if end is None:  # the document ends within the tag, which is none then
                    break
                self._at = end.end()
                self._tag(match.start(), match[2].lower(), is_end=bool(match[1]))
            else:
                self._no_tag(match.start(), match[0])
        self._finish()
        return False

    def _cut(self) -> None:
        self._finish()
        self._blank(self._at, len(self._text))

    def _finish(self) -> None:
        if self._templates:
            self._blank(self._template_start, len(self._text))

    def _no_tag(self, start: int, begin: bytes) -> None:
        """A comment, a declaration, or a CDATA section, which is one in foreign content only."""
        text = self._text
        if begin == b"<!--":
            match = _COMMENT_END.match(text, start + 4)
            end = match.end() if match else 0
        elif self._is_foreign() and text.startswith(_CDATA, start):
            end = text.find(b"]]>", start) + 3
            end = end if end > 2 else len(text)
            self._blank(start, end)
            self._may_be_frameset = False
        else:
            end = text.find(b">", start) + 1
        self._at = end or len(text)

    def _tag(self, start: int, name: bytes, *, is_end: bool) -> None:
        if self._framesets is not None:
            self._tag_by_framesets(start, name, is_end=is_end)
        elif is_end:
            self._end_tag(start, name)
        else:
            self._start_tag(start, name)

    def _start_tag(self, start: int, name: bytes) -> None:
        if self._is_foreign() and not self._breaks_out(start, name):
            self._foreign_start(start, name)
            return
        if self._may_be_frameset:
            self._note_early(start, name)
        if name in BEFORE_FRAMES_NONE and not (name == b"input" and self._has(_HIDDEN, start)):
            self._may_be_frameset = False
        if name == b"template":
            self._template(start)
        elif name in (b"svg", b"math"):
            if not self._is_self_closing(start):
                self._push(_Open("foreign", name))
        elif name in RAW_NAMES:
            self._raw(start, name)
        elif name == b"frame":
            self._rename(start)
        elif name == b"frameset" and self._may_be_frameset and not self._open:
            self._framesets = 1
            for link in self._early_links:
                self._rename(link)
        if self._open and self._open[-1].kind in ("point", "html") and name not in (b"svg", b"math", b"template"):
            self._html_start(name)
        elif not self._open and name not in VOID:
            self._html_open[name] += 1

    def _note_early(self, start: int, name: bytes) -> None:
        """Remember links that stand in a body already, whose place a frameset may take."""
        self._is_in_body = self._is_in_body or not (name in OF_HEAD or name in RAW_NAMES)
        if self._is_in_body and (name == b"a" or name in LINKING):
            self._early_links.append(start)

    def _html_start(self, name: bytes) -> None:
        """An HTML element within an integration point."""
        last = self._open[-1]
        if last.kind == "html" and ((last.name == b"p" and name in CLOSING_P) or last.name == name == b"li"):
            self._pop()
        if name not in VOID and name not in RAW_NAMES:
            self._push(_Open("html", name))

    def _end_tag(self, start: int, name: bytes) -> None:
        if name == b"br":
            self._may_be_frameset = False
        if not self._open:
            self._html_open[name] -= self._html_open[name] > 0
            return
        if self._is_foreign() and (name in RAW_NAMES or name in LINKING):
            self._rename(start + 1)
        place = self._place_of(name)
        if place is not None:
            self._close(place, start)
        elif self._is_foreign() and (name in (b"br", b"p") or self._html_open[name]):
            self._leave_foreign()

    def _push(self, element: _Open) -> None:
        if len(self._open) < _DEEPEST:
            self._open.append(element)
            self._names[element.name] += 1

    def _pop(self) -> _Open:
        element = self._open.pop()
        self._names[element.name] -= 1
        return element

    def _place_of(self, name: bytes) -> int | None:
        """Where the open element stands that an end tag of that name closes, if there is one."""
        if not self._names[name]:
            return None
        is_html = self._open[-1].kind == "html"
        for place in range(len(self._open) - 1, -1, -1):
            element = self._open[place]
            if element.kind in ("template", "shadow"):
                return place if name == b"template" else None
            if is_html and element.kind != "html":
                is_html = False
                if name != b"template":
                    return None  # an open HTML element keeps what it stands in open
            elif element.name == name:
                return place
        return None

    def _close(self, place: int, start: int) -> None:
        while len(self._open) > place:
            if self._pop().kind == "template":
                self._templates -= 1
                if not self._templates:
                    self._blank(self._template_start, start)

    def _template(self, start: int) -> None:
        if self._has(_SHADOW_ROOT, start):
            self._push(_Open("shadow", b"template"))
            return
        if len(self._open) >= _DEEPEST:
            return
        if not self._templates:
            self._template_start = self._at
        self._templates += 1
        self._push(_Open("template", b"template"))

    def _raw(self, start: int, name: bytes) -> None:
        """Content that is no markup, up to the end tag; a slash in the start tag is no matter."""
        if self._is_self_closing(start):
            self._blank(self._at - 2, self._at - 1)
        if name == b"script":
            self._at = _script_end(self._text, self._at)
            return
        match = _RAW_END[name.decode()].search(self._text, self._at) if name != b"plaintext" else None
        self._at = match.start() if match else len(self._text)

    def _foreign_start(self, start: int, name: bytes) -> None:
        if name in RAW_NAMES or name in LINKING:
            self._rename(start)
        if not self._is_self_closing(start):
            root = next(element.name for element in reversed(self._open) if element.name in (b"svg", b"math"))
            is_point = name in (SVG_POINTS if root == b"svg" else MATH_POINTS)
            is_point = is_point or (name == b"annotation-xml" and root == b"math" and self._has(_HTML_ENCODING, start))
            self._push(_Open("point" if is_point else "foreign", name))

    def _breaks_out(self, start: int, name: bytes) -> bool:
        """Whether a start tag ends foreign content; then it has ended."""
        is_out = name in BREAKING_OUT or (name == b"font" and self._has(_FONT_THAT_BREAKS_OUT, start))
        is_root = name == b"svg" and self._open[-1].name == b"annotation-xml"
        if is_out:
            self._leave_foreign()
        return is_out or is_root

    def _leave_foreign(self) -> None:
        while self._open and self._open[-1].kind == "foreign":
            self._pop()

    def _tag_by_framesets(self, start: int, name: bytes, *, is_end: bool) -> None:
        """In and after a frameset nothing counts but framesets, frames and noframes (13.2.6.4.20)."""
        assert self._framesets is not None
        if name == b"frameset" and self._framesets:
            self._framesets += -1 if is_end else 1
        elif name == b"noframes" and not is_end:
            self._raw(start, name)
        elif not (name == b"frame" and self._framesets) and not is_end:
            self._rename(start)

    def _is_foreign(self) -> bool:
        return bool(self._open) and self._open[-1].kind == "foreign"

    def _is_self_closing(self, start: int) -> bool:
        """Whether the tag ends in a slash that belongs to no attribute's value."""
        text, end = self._text, self._at - 2
        if text[end] != _SLASH:
            return False
        before = text[max(start, end - _LONGEST_VALUE) : end]
        word = _LAST_WORD.split(before)[-1]
        return b"=" not in word and not before[: len(before) - len(word)].rstrip(_SPACES).endswith(b"=")

    def _has(self, pattern: "re.Pattern[bytes]", start: int) -> bool:
        return pattern.search(self._text, start, self._at) is not None

    def _rename(self, start: int) -> None:
        """Make the tag that begins at ``start`` one of an element that nobody knows."""
        self._blank(start + 1, start + 2, b"z")

    def _blank(self, start: int, end: int, filler: bytes = b" ") -> None:
        if start < end:
            if self._out is None:
                self._out = bytearray(self._text)
            self._out[start:end] = filler * (end - start)


def _script_end(text: bytes, at: int) -> int:
    """Where the end tag of a script begins: within a comment, `<script>` hides the next end tag (13.2.5.20 on)."""
    is_comment = is_hidden = False
    for match in _SCRIPT_TURN.finditer(text, at):
        if match[0] == b"<!--":
            is_comment = True
        elif match[0] == b"-->":
            is_comment = is_hidden = False
        elif match[1]:
            if not is_hidden:
                return match.start()
            is_hidden = False
        elif is_comment:
            is_hidden = True
    return len(text)
