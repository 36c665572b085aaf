"""A web with a spam farm, without end and without storage: every page is made from its URL when it is asked for.

A farm is one domain with many hosts that one other domain links to, or a number of such domains that all link to each
other; its pages have many links, all to the farm, and there is no last one.  Or its domains are *expired* ones: each
still has links from the home pages of a few legitimate domains.  Beside it are legitimate domains, each linked to by
one to several hundred others; each has at least a hundred pages, which can all be reached from its home page.

Everything follows from one number, the seed:

- In-degrees of domains are log-normal, as the body of those of the web's sites is (Pennock, Flake, Lawrence, Glover,
  Giles, "Winners don't take all", PNAS 2002).  Which domains link to one is drawn evenly.
- Sizes of domains are Pareto, from a hundred pages on; they have nothing to do with in-degrees.
- A page links to its children in a tree, to the first pages of its domain, as menus do, and to one drawn evenly; and
  to pages of domains that its own domain links to, every second time to the home page, else to one drawn evenly.
- Seeds are home pages of domains drawn evenly; the home page of the first has the one link to the farm.
"""

import random
import re
from typing import NamedTuple

FARM = "spam-farm.example"
"""The farm's domain; if it has several, they are farm0.example and so on."""
_MEDIAN_IN_DEGREE, _SPREAD_OF_IN_DEGREES, _MOST_IN_DEGREE = 6.0, 1.25, 600
_LEAST_PAGES, _TAIL_OF_SIZES, _MOST_PAGES = 100, 1.2, 20_000
_MENU = 8
_CHILDREN = 2
_LINKS_WITHIN = 1
_LINKS_ABROAD = 3
_BITS_OF_A_FARM_PAGE = 48
_DOMAIN = re.compile(r"\bd(\d+)\.example\b")
_FARM_HOST = re.compile(r"(?:^|\.)(?:spam-farm|farm\d+)\.example$", re.ASCII)
_PATH = re.compile(r"/[0-9a-f]{0,15}", re.ASCII)


class Shape(NamedTuple):
    """How many legitimate domains there are, how many of their home pages are seeds; hosts of each of the farm's
    domains, links on each of its pages; how many domains the farm has, and how many legitimate ones link to each of
    them: none but the first seed, to one page, if that is 0."""

    domains: int = 1000
    seeds: int = 20
    hosts: int = 4000
    links: int = 50
    farms: int = 1
    sponsors: int = 0


USUAL = Shape()


class SpamWeb:
    """The pages of the web and their links; ``seeds`` are URLs from which all of them can be reached."""

    def __init__(self, seed: int, shape: Shape = USUAL) -> None:
        dice = random.Random(seed)
        self._seed = seed
        self._shape = shape
        everyone = range(shape.domains)
        self._sizes = [min(_MOST_PAGES, int(_LEAST_PAGES * dice.paretovariate(_TAIL_OF_SIZES))) for _ in everyone]
        self._linked: list[list[int]] = [[] for _ in everyone]
        for target in everyone:
            wanted = round(_MEDIAN_IN_DEGREE * dice.lognormvariate(0.0, _SPREAD_OF_IN_DEGREES))
            others = [*everyone[:target], *everyone[target + 1 :]]
            for source in dice.sample(others, min(max(1, wanted), _MOST_IN_DEGREE, len(others))):
                self._linked[source].append(target)
        self.domains = shape.domains
        self.seeds = [url_of(domain, 0) for domain in dice.sample(everyone, shape.seeds)]
        self._lured: dict[int, list[int]] = {}
        for farm in range(shape.farms) if shape.sponsors else ():
            for sponsor in dice.sample(everyone, shape.sponsors):
                self._lured.setdefault(sponsor, []).append(farm)
        if not shape.sponsors:
            self._lured[domain_numbered(self.seeds[0])] = [-1]

    def links(self, host: str, number: int) -> list[str] | None:
        """The links of a page, None if there is no such page."""
        dice = random.Random(f"{self._seed} {host} {number}")
        if _FARM_HOST.search(host):
            return [self._farm_page(dice) for _ in range(self._shape.links)]
        domain = domain_numbered(host)
        if not 0 <= domain < self.domains or number >= self._sizes[domain]:
            return None
        size = self._sizes[domain]
        below = range(_CHILDREN * number + 1, min(_CHILDREN * number + 1 + _CHILDREN, size))
        links = [url_of(domain, child) for child in below]
        links += [url_of(domain, page) for page in range(_MENU)]
        links += [url_of(domain, dice.randrange(size)) for _ in range(_LINKS_WITHIN)]
        linked = self._linked[domain]
        for _ in range(_LINKS_ABROAD if linked else 0):
            other = dice.choice(linked)
            links.append(url_of(other, dice.randrange(self._sizes[other]) if dice.random() < 0.5 else 0))
        if not number:
            links += [self._farm_page(dice, farm) for farm in self._lured.get(domain, ())]
        return links

    def page(self, host: str, path: str) -> bytes | None:
        """The page at a URL as HTML, None if there is none."""
        number = _number_at(path)
        links = self.links(host, number) if number is not None else None
        if links is None:
            return None
        listed = "".join(f'<li><a href="{link}">{link[7:]}</a>' for link in links)
        return f"<!doctype html><title>{host}{path}</title><ul>{listed}</ul>".encode()

    def _farm_page(self, dice: random.Random, farm: int = -1) -> str:
        """A page of one of the farm's domains, of any of them if ``farm`` is -1."""
        host = int(self._shape.hosts * dice.random())
        if self._shape.farms == 1:
            domain = FARM
        else:
            domain = f"farm{farm if farm >= 0 else int(self._shape.farms * dice.random())}.example"
        return f"http://h{host}.{domain}/{dice.getrandbits(_BITS_OF_A_FARM_PAGE):x}"


def url_of(domain: int, number: int) -> str:
    """The URL of a page of a legitimate domain."""
    return f"http://www.d{domain}.example/" + (f"{number:x}" if number else "")


def domain_numbered(text: str) -> int:
    """The number of the legitimate domain that a URL, a host or a domain belongs to; -1 if it is none."""
    named = _DOMAIN.search(text)
    return int(named[1]) if named else -1


def _number_at(path: str) -> int | None:
    return int(path[1:] or "0", 16) if _PATH.fullmatch(path) else None
