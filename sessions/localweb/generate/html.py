"""The HTML of a made web: invented text, with the page's links strewn through it in all the ways that pages do it.

Text is drawn from a pool of prepared sentences, so that a page costs little more than joining strings.  The ways a
link is written (relative, absolute, with a fragment, in a frame ...) are drawn per link; what a link *means* never
depends on it.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sessions.localweb.generate.link_graph import Ints, Links, Trees
from sessions.localweb.generate.roles import CHARSETS, Roles
from sessions.localweb.generate.urls import Addresses

_SYLLABLES = re.findall(
    r"\w+",
    "ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu an el in or un ter men lis gar ton bel cor dra fil",
)
_LATIN = "éèüöäñçàøåßê"
_KANA = "あいうえおかきくけこさしすせそたなにのはまやらりるれ日本語山川大学人"
_VOCABULARY, _SENTENCES = 1500, 6000
_HEAD = """<!DOCTYPE html>
<html lang="{language}">
<head>
{meta}<title>{title}</title>
<meta name="description" content="{description}">
{head}<link rel="stylesheet" href="/style.css" type="text/css">
</head>
<body>
<h1>{title}</h1>
"""
_FOOT = """<div class="footer"><hr><p>Page {page} of {host}, made by cutweb. <a href="{top}#top">Top</a>
<a href="mailto:webmaster@{host}">Contact</a> <a href="javascript:window.print()">Print</a></p></div>
</body>
</html>
"""
# How a link is written, by a draw from 0 to 999: below the first number that is larger, in this way.
_ABSOLUTE, _RELATIVE, _FRAGMENT, _ODD, _ROOTED = 150, 450, 480, 490, 970
_NOFOLLOW, _AREA, _IFRAME, _DRAWS = 985, 990, 994, 1000


@dataclass(frozen=True)
class Text:
    """Sentences by language: 0 English-looking, 1 with Latin accents, 2 Japanese-looking; and titles."""

    sentences: tuple[list[str], list[str], list[str]]
    mean_bytes: tuple[float, float, float]
    titles: list[str]


def invent_text(rng: np.random.Generator) -> Text:
    """A pool of sentences whose words are as unevenly frequent as in a language."""
    words = _invent_words(rng)
    english = _invent_sentences(words, " ", ".", rng)
    accented = [word + _LATIN[i % len(_LATIN)] if i % 5 == 0 else word for i, word in enumerate(words)]
    latin = _invent_sentences(accented, " ", ".", rng)
    kana = ["".join(_KANA[i] for i in rng.integers(0, len(_KANA), 3)) for _ in range(1000)]
    japanese = _invent_sentences(kana, "", "。", rng)
    titles = [f"{words[i].capitalize()} {words[j]}" for i, j in _ranks(len(words), (4096, 2), rng)]
    sentences = (english, latin, japanese)
    lengths = tuple(float(np.mean([len(sentence.encode()) for sentence in pool])) for pool in sentences)
    return Text(sentences, (lengths[0], lengths[1], lengths[2]), titles)


def _invent_words(rng: np.random.Generator) -> list[str]:
    counts = rng.integers(1, 5, _VOCABULARY)
    return ["".join(_SYLLABLES[i] for i in rng.integers(0, len(_SYLLABLES), count)) for count in counts]


def _invent_sentences(words: list[str], space: str, stop: str, rng: np.random.Generator) -> list[str]:
    sentences: list[str] = []
    for length in rng.integers(6, 30, _SENTENCES):
        chosen = _ranks(len(words), (int(length),), rng)
        sentences.append(space.join([words[rank] for rank in chosen]).capitalize() + stop + "\n")
    return sentences


def _ranks(words: int, shape: tuple[int, ...], rng: np.random.Generator) -> Ints:
    """Random word numbers whose frequency falls off a little faster than 1 / rank."""
    return np.floor(words ** rng.random(shape) ** 1.2).astype(np.int64) - 1


def draw_sizes(pages: int, mean_kb: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Bytes each page should have: lognormal, from 5 kB or a third of the mean to 40 kB or twice the mean."""
    mean = mean_kb * 1000
    low, high = min(5000.0, mean / 3), max(40_000.0, mean * 2)
    shape = rng.lognormal(0.0, 0.5, pages)
    scale = mean
    for _ in range(20):
        scale *= mean / float(np.clip(shape * scale, low, high).mean())
    return np.clip(shape * scale, low, high)


class PageWriter:
    """Writes the pages of one web, one at a time, in any order; page p always comes out the same."""

    def __init__(
        self,
        trees: Trees,
        addresses: Addresses,
        links: Links,
        roles: Roles,
        sizes: npt.NDArray[np.float64],
        seed: int,
    ) -> None:
        pages = len(roles.original)
        text = invent_text(np.random.default_rng((seed, pages)))
        self._addresses = addresses
        self._roles = roles
        self._text = text
        self._seed = seed
        self._parent = trees.parent.tolist()
        self._sizes = sizes.tolist()
        self._bounds = links.bounds(pages).tolist()
        self._target = links.target.tolist()
        self._title = [text.titles[i % len(text.titles)] for i in range(len(addresses.url))]
        self._copied = frozenset(np.unique(roles.original[roles.original != np.arange(pages)]).tolist())

    def charset(self, page: int) -> str:
        """The character set that page is written in."""
        charset = self._roles.charset.get(page)
        return "utf-8" if charset is None else CHARSETS[charset]

    def html(self, page: int) -> bytes:
        """The page's HTML, encoded in its character set; a copy comes out as its original does."""
        page = int(self._roles.original[page])
        rng = np.random.default_rng((self._seed, page))
        write = self._frameset if page in self._roles.framesets else self._document
        return write(page, rng).encode(self.charset(page), "xmlcharrefreplace")

    def _document(self, page: int, rng: np.random.Generator) -> str:
        base = self._base(page)
        head = self._head(page, base)
        top = _escaped(self._addresses.path[page]) if page in self._roles.based else ""
        foot = _FOOT.format(page=page, host=self._addresses.host[self._addresses.site[page]], top=top)
        links = self._links(page, base, rng)
        menu, inline = links[: len(links) // 3], links[len(links) // 3 :]
        parts = [head, '<ul class="menu">\n', *(f"<li>{link}</li>\n" for link in menu), "</ul>\n"]
        room = self._sizes[page] - len(head) - len(foot) - sum(map(len, links)) - 10 * len(menu)
        parts += self._body(page, room, inline, rng)
        parts.append(foot)
        return "".join(parts)

    def _head(self, page: int, base: str) -> str:
        addresses = self._addresses
        extra = [f'<base href="{base}">\n'] if page in self._roles.based else []
        if page % 3 == 0:
            extra.append(f'<link rel="canonical" href="{_escaped(addresses.url[page])}">\n')
        for relation, neighbour in (("prev", page - 1), ("next", page + 1)):
            if page % 4 == 1 and self._is_page_of(neighbour, addresses.site[page]):
                extra.append(f'<link rel="{relation}" href="{_escaped(addresses.url[neighbour])}">\n')
        return _HEAD.format(
            language=("en", "fr", "ja")[self._language(page)],
            meta=self._meta(page),
            title=self._title[page],
            description=self._title[page + 1],
            head="".join(extra),
        )

    def _is_page_of(self, page: int, site: int) -> bool:
        return 0 <= page < len(self._roles.original) and self._addresses.site[page] == site

    def _meta(self, page: int) -> str:
        charset = self.charset(page)
        if page in self._roles.in_meta:
            return f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">\n'
        return '<meta charset="utf-8">\n' if charset == "utf-8" and page % 2 else ""

    def _language(self, page: int) -> int:
        """Odd charsets bring their language; a few pages in UTF-8 are not in English either."""
        charset = self._roles.charset.get(page)
        if charset is not None:
            return charset + 1
        return (1, 2)[page % 2] if page % 100 in (50, 51) else 0

    def _base(self, page: int) -> str:
        """The path against which relative links count: the page's own directory, unless a base element says other."""
        own = self._addresses.path[page].partition("?")[0]
        directory = own[: own.rfind("/") + 1]
        return directory[: directory.rfind("/", 0, -1) + 1] or "/" if page in self._roles.based else directory

    def _links(self, page: int, base: str, rng: np.random.Generator) -> list[str]:
        start, stop = self._bounds[page], self._bounds[page + 1]
        forms = rng.integers(0, _DRAWS, stop - start)
        if page in self._copied:  # the same text at another address must mean the same links
            forms %= _ABSOLUTE
        order = rng.permutation(stop - start) + start
        targets = [self._target[i] for i in order.tolist()]
        links = [self._link(page, base, target, form) for target, form in zip(targets, forms.tolist(), strict=True)]
        if links and page % 5 == 0:
            links.append(links[0])
        return links

    def _link(self, page: int, base: str, target: int, form: int) -> str:
        href = _escaped(self._href(page, base, target, form))
        if form < _ROOTED or self._is_needed(page, target):
            return f'<a href="{href}">{self._title[target]}</a>'
        if form < _NOFOLLOW:
            return f'<a rel="nofollow" href="{href}">{self._title[target]}</a>'
        if form < _AREA:
            return f'<map name="m{target}"><area shape="rect" coords="0,0,9,9" href="{href}" alt="{target}"></map>'
        if form < _IFRAME:
            return f'<iframe src="{href}" width="90"></iframe>'
        return f"<A class=far\nHREF = '{href}' >{self._title[target]}</A>"

    def _is_needed(self, page: int, target: int) -> bool:
        """Whether a page may be found only by this link, which must then be an ordinary one."""
        return target >= len(self._parent) or self._parent[target] == page

    def _href(self, page: int, base: str, target: int, form: int) -> str:
        addresses = self._addresses
        if form < _ABSOLUTE or addresses.site[target] != addresses.site[page]:
            return addresses.url[target]
        path = addresses.path[target]
        if form < _RELATIVE:
            return _relative(path, base)
        if form < _FRAGMENT:
            return f"{path}#part-{form % 7}"
        if form < _ODD:
            host = addresses.host[addresses.site[target]]
            return f"HTTP://{host.upper()}:80{path}" if form % 2 else f"//{host}/.{path}"
        return path

    def _body(self, page: int, room: float, links: list[str], rng: np.random.Generator) -> list[str]:
        """Paragraphs of about ``room`` bytes in all, with the links spread over them evenly."""
        language = self._language(page)
        pool = self._text.sentences[language]
        count = max(1, round(room / (self._text.mean_bytes[language] + 3)))
        sentences = [pool[i] for i in rng.integers(0, len(pool), count).tolist()]
        paragraphs = (count + 4) // 5
        parts: list[str] = []
        for i in range(paragraphs):
            parts.append("<p>")
            parts += sentences[5 * i : 5 * i + 5]
            parts += links[i * len(links) // paragraphs : (i + 1) * len(links) // paragraphs]
            parts.append("</p>\n")
        return parts

    def _frameset(self, page: int, rng: np.random.Generator) -> str:
        targets = self._target[self._bounds[page] : self._bounds[page + 1]]
        base = self._base(page)
        forms = rng.integers(0, _DRAWS, len(targets)).tolist()
        hrefs = [_escaped(self._href(page, base, target, form)) for target, form in zip(targets, forms, strict=True)]
        frames = "".join(f'<frame src="{href}" name="f{i}">\n' for i, href in enumerate(hrefs))
        return (
            f"<html>\n<head><title>{self._title[page]}</title></head>\n"
            f'<frameset cols="{",".join("*" * max(1, len(hrefs)))}">\n{frames}</frameset>\n</html>\n'
        )


def _escaped(url: str) -> str:
    return url.replace("&", "&amp;")


def _relative(path: str, base: str) -> str:
    """``path`` as a link relative to the directory ``base``, where that is short; else as it is."""
    if path.startswith(base):
        return path[len(base) :] or "./"
    above = base[: base.rfind("/", 0, -1) + 1]
    if above and path.startswith(above):
        return "../" + path[len(above) :]
    return path
