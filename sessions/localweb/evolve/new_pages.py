"""The HTML that evolution writes: new pages and new paragraphs, from the same pool of sentences as a made web's."""

from collections.abc import Sequence
from html import escape

import numpy as np

from sessions.localweb.generate.html import invent_text

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"><title>{title}</title>
</head>
<body>
<h1>{title}</h1>
{paragraphs}<div class="footer"><hr><p>New at {host} on {day}, made by cutweb.</p></div>
</body>
</html>
"""
_SENTENCES_PER_PARAGRAPH = 5
_SHORTEST_TEXT = 20
_SIGMA = 0.5  # of the lognormal sizes of pages, as in `pages`


class Newsroom:
    """Writes what is new.  What it writes depends on the seed and on the generator handed in, on nothing else."""

    def __init__(self, seed: int, mean_bytes: float) -> None:
        self._text = invent_text(np.random.default_rng(seed))
        self._mean_bytes = mean_bytes

    def title(self, number: int) -> str:
        """The title of the page with a number."""
        return self._text.titles[number % len(self._text.titles)]

    def sentences(self, length: int, rng: np.random.Generator) -> str:
        """Text of exactly ``length`` characters, but never less than twenty, without line ends."""
        length = max(length, _SHORTEST_TEXT)
        pool = self._text.sentences[0]
        text = ""
        while len(text) < length:
            text += pool[int(rng.integers(len(pool)))].replace("\n", " ")
        return text[: length - 1] + "."

    def page(
        self, number: int, host: str, day: str, links: Sequence[tuple[str, str]], rng: np.random.Generator
    ) -> bytes:
        """A new page with ``links`` of (target, title) strewn through its text."""
        size = self._mean_bytes * float(rng.lognormal(-(_SIGMA**2) / 2, _SIGMA))
        anchors = [f'<a href="{escape(target)}">{escape(title)}</a>\n' for target, title in links]
        room = max(0.0, size - len(_PAGE) - sum(map(len, anchors)))
        paragraphs = max(1, round(room / (_SENTENCES_PER_PARAGRAPH * self._text.mean_bytes[0])))
        parts: list[str] = []
        for i in range(paragraphs):
            own = anchors[i * len(anchors) // paragraphs : (i + 1) * len(anchors) // paragraphs]
            parts += ("<p>", self.sentences(round(room / paragraphs), rng), *own, "</p>\n")
        return _PAGE.format(title=self.title(number), paragraphs="".join(parts), host=host, day=day).encode()
