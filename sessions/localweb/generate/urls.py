"""What everything in a made web is called: hosts, and URLs whose directories are the site's tree.

A page with children is a directory, a leaf a file in its parent's directory, sometimes with a query string; so
paths have several levels, and what lies near in the tree lies near in URL order.  Hosts come in domains of one to
four under the reserved top-level domains .example and .test.
"""

import re
from dataclasses import dataclass

import numpy as np

from sessions.localweb.generate.link_graph import Trees
from sessions.localweb.generate.roles import Ghosts, Roles

_PREFIXES = ("www", "blog", "docs", "news", "shop", "wiki", "people", "lists", "archive", "maps")
_WORDS = re.findall(
    r"\w+",
    "about archive article books catalog chapter contact courses data events faculty files gallery garden guide help "
    "history home image index info item journal lab lecture library links list maps meeting members minutes music "
    "notes paper people photo plan press product project reading record report research review river school science "
    "search section seminar service source staff story student study summer talk team thesis topic travel tutorial "
    "view volume weather winter work year",
)
_LEAVES = (
    ("{word}-{local}.html",) * 11
    + ("{word}{local}", "{word}.php?id={local}", "{word}-{local}.htm", "show.asp?item={local}&lang=en")
    + ("caf%C3%A9-{local}.html", "{word}/{word}-{local}.html", "{word}_{local}.html?print=1", "%7E{word}/{local}.html")
)
_REDIRECTS = ("/old/{word}-{ghost}.html", "/go?to={ghost}", "/moved/{ghost}")


@dataclass(frozen=True)
class Addresses:
    """``host[s]`` of each site; ``path[u]`` and ``url[u]`` of each page, then each redirect, then each missing URL.

    ``site[u]`` is the site that u is on.
    """

    host: list[str]
    site: list[int]
    path: list[str]
    url: list[str]


def name_everything(
    trees: Trees, roles: Roles, ghosts: Ghosts, rng: np.random.Generator, scheme: str = "http"
) -> Addresses:
    """Canonical addresses, all different, of every page and ghost."""
    host = name_hosts(len(trees.start) - 1, rng)
    site = np.concatenate((trees.site, ghosts.site)).tolist()
    path = _page_paths(trees, roles, rng)
    path += _ghost_paths(path, trees, ghosts, rng)
    url = [f"{scheme}://{host[s]}{p}" for s, p in zip(site, path, strict=True)]
    return Addresses(host, site, path, url)


def name_hosts(sites: int, rng: np.random.Generator) -> list[str]:
    """Host names, one to four to a domain."""
    hosts: list[str] = []
    domain = 0
    while len(hosts) < sites:
        name = f"d{domain}.{'test' if domain % 7 == 6 else 'example'}"
        count = int(rng.choice((1, 1, 1, 2, 3, 4)))
        others = [f"{_PREFIXES[i]}.{name}" for i in 1 + rng.permutation(len(_PREFIXES) - 1)[: count - 1]]
        hosts += [f"www.{name}" if domain % 3 else name, *others]
        domain += 1
    return hosts[:sites]


def _page_paths(trees: Trees, roles: Roles, rng: np.random.Generator) -> list[str]:
    words = rng.integers(0, len(_WORDS), len(trees.site)).tolist()
    forms = rng.integers(0, len(_LEAVES), len(trees.site)).tolist()
    local = trees.local.tolist()
    parents, children = trees.parent.tolist(), trees.children.tolist()
    paths: list[str] = []
    for page, parent in enumerate(parents):
        word = _WORDS[words[page]]
        if parent < 0:
            paths.append("/")
        elif children[page]:
            paths.append(f"{paths[parent]}{word}{local[page]}/")
        elif page in roles.private:
            paths.append(f"/private/{word}-{local[page]}.html")
        else:
            paths.append(paths[parent] + _LEAVES[forms[page]].format(word=word, local=local[page]))
    return paths


def _ghost_paths(pages: list[str], trees: Trees, ghosts: Ghosts, rng: np.random.Generator) -> list[str]:
    """Paths of redirects and missing URLs; a directory asked for without its slash is redirected to it."""
    words = rng.integers(0, len(_WORDS), len(ghosts.site)).tolist()
    leads_to = ghosts.leads_to.tolist()
    taken: set[int] = set()
    paths: list[str] = []
    for ghost, site in enumerate(ghosts.site.tolist()):
        target = leads_to[ghost] if ghost < ghosts.redirects else len(pages)
        if ghost >= ghosts.redirects:
            paths.append(f"/gone/{_WORDS[words[ghost]]}-{ghost}.html")
        elif _is_directory_of(site, target, pages, trees) and target not in taken:
            taken.add(target)
            paths.append(pages[target][:-1])
        else:
            paths.append(_REDIRECTS[ghost % len(_REDIRECTS)].format(word=_WORDS[words[ghost]], ghost=ghost))
    return paths


def _is_directory_of(site: int, target: int, pages: list[str], trees: Trees) -> bool:
    return target < len(pages) and trees.site[target] == site and pages[target] != "/" and pages[target].endswith("/")
