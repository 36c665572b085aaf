"""Recordings and ownerships drawn at random, as crawls may leave them."""

from hypothesis import strategies as st

from crawler.exchange.parallel_modes import MODES
from crawler.replay.ownership import FINDER, Ownership
from crawler.replay.recording import Recording
from crawler.replay.settings import ReplaySettings
from sessions.schema import EMBEDDED, NOFOLLOW, REDIRECT, UNFOLLOWED
from tests.crawler.replay.support.courses import ownership_with, recording_with

FLAGS = [0, 0, 0, 0, EMBEDDED, REDIRECT, REDIRECT | EMBEDDED, NOFOLLOW, UNFOLLOWED]
PLACES = [
    f"http{'s' * secure}://{site}.example/{path}"
    for path in ("", "a", "a/b", "a/b/%C3%BC", "index.html?q=1", "x" * 70, "x" * 70 + "y")
    for site in ("a", "b", "www.b")
    for secure in (False, True)
]
"""Some URLs that are like each other."""


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """Up to 15 pages and 5 URLs without one, with links of all kinds; not every page need be linked."""
    pages, others = draw(st.integers(1, 15)), draw(st.integers(0, 5))
    urls = pages + others
    names = draw(st.permutations(PLACES))[:urls]
    ends = st.tuples(st.integers(0, pages - 1), st.integers(0, urls - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = draw(st.lists(ends, unique=True, max_size=60)) if urls > 1 else []
    links = [(source, target, draw(st.sampled_from(FLAGS))) for source, target in pairs]
    seeds = draw(st.lists(st.integers(0, pages - 1), min_size=1, max_size=3, unique=True).map(sorted))
    return recording_with([1] * pages, links, seeds=seeds, others=others, names=names)


@st.composite
def ownerships(draw: st.DrawFn, urls: int) -> Ownership:
    """Any owners among up to 6 ranks; with a map some URLs have numbers, and the others may be whoever's finds them."""
    ranks = draw(st.integers(1, 6))
    seed_owners = draw(st.lists(st.integers(0, ranks - 1), min_size=urls, max_size=urls))
    if not draw(st.booleans()):
        return ownership_with(ranks, seed_owners)
    numbers = draw(st.permutations(range(urls)))
    unknown = draw(st.lists(st.booleans(), min_size=urls, max_size=urls))
    numbers = [-1 if missing else number for number, missing in zip(numbers, unknown, strict=True)]
    finders = draw(st.booleans())
    owners = [FINDER if finders and missing else owner for owner, missing in zip(seed_owners, unknown, strict=True)]
    return ownership_with(ranks, owners, seed_owners, unknown=unknown, numbers=numbers)


SETTINGS = st.builds(
    ReplaySettings,
    pages_per_superstep=st.integers(1, 5),
    mode=st.sampled_from(MODES),
    replicated=st.one_of(st.just(0), st.integers(0, 25)),
    max_pages=st.one_of(st.none(), st.integers(1, 20)),
)
