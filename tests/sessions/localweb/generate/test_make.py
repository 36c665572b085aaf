"""The made web: what is in it, that all of it can be found, and that the same seed makes it again."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import lxml.html
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from isal import isal_zlib
from warcio.checker import Checker  # type: ignore[import-untyped]

from sessions.localweb.generate.html import draw_sizes
from sessions.localweb.generate.link_graph import draw_links, grow_trees, site_sizes
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.generate.roles import cast_roles, draw_ghosts
from sessions.localweb.generate.urls import name_everything
from sessions.localweb.serve.response import Response, read_response
from sessions.localweb.web_files import seeds_path
from sessions.storage.warc_index import build_index
from sessions.url import canonical, domain_of, join, site_of

_LINKS = "//a/@href | //area/@href | //iframe/@src | //frame/@src"
_FOLLOWED = "//a[not(@rel='nofollow')]/@href"


@dataclass
class Page:
    """A page as a browser would understand it."""

    response: Response
    text: str
    links: set[str]
    followed: set[str]


def _read(url: str, response: Response) -> Page:
    header = re.search(rb"charset=([\w-]+)", response.header(b"content-type"))
    meta = re.search(rb"charset=\"?([\w-]+)", response.body[:1024])
    charset = header or meta
    assert charset, "every page says its character set somewhere"
    text = response.body.decode(charset[1].decode())
    tree = lxml.html.fromstring(text.replace("<!DOCTYPE html>", ""))
    base = ([*tree.xpath("//base/@href"), ""])[0]
    document_base = join(url, [base])[0] or url
    found = [{link for link in join(document_base, tree.xpath(path)) if link} for path in (_LINKS, _FOLLOWED)]
    return Page(response, text, found[0] - {url}, found[1] - {url})


@pytest.fixture(scope="session")
def answers(made: MadeWeb) -> dict[str, Response]:
    index = build_index([made.path])
    return {url: read_response(entry) for url, entry in index.entries.items()}


@pytest.fixture(scope="session")
def pages(answers: dict[str, Response]) -> dict[str, Page]:
    return {
        url: _read(url, response)
        for url, response in answers.items()
        if response.status == 200 and not url.endswith("/robots.txt")
    }


def _reachable(pages: dict[str, Page], seeds: list[str]) -> set[str]:
    seen = set(seeds)
    waiting = list(seeds)
    while waiting:
        for link in pages[waiting.pop()].followed & pages.keys():
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    return seen


def test_counts_are_those_of_the_file(made: MadeWeb, answers: dict[str, Response], pages: dict[str, Page]) -> None:
    assert len(pages) == made.pages == 3000
    assert len(answers) == made.pages + made.redirects + made.robots
    assert made.robots == 10
    assert made.html_bytes == made.body_bytes == sum(len(page.response.body) for page in pages.values())
    pairs = [(url, link) for url, page in pages.items() for link in page.links]
    assert made.links == len(pairs)
    assert made.links_inside == sum(site_of(source) == site_of(target) for source, target in pairs)
    targets = {target for _, target in pairs}
    assert made.missing == len(targets - answers.keys())
    assert made.domains == len({domain_of(site_of(url)) for url in pages}) < made.sites


def test_every_page_is_reachable_by_ordinary_links_alone(made: MadeWeb, pages: dict[str, Page]) -> None:
    assert _reachable(pages, made.seeds) == pages.keys()


def test_what_robots_txt_allows_is_reachable_without_the_rest(made: MadeWeb, pages: dict[str, Page]) -> None:
    private = {url for url in pages if "/private/" in url}
    assert private
    allowed = {url: page for url, page in pages.items() if url not in private}
    assert _reachable(allowed, made.seeds) == allowed.keys()


def test_every_url_answers_to_its_links_even_redirects(answers: dict[str, Response], pages: dict[str, Page]) -> None:
    linked = set().union(*(page.links for page in pages.values()))
    redirects = {url for url, response in answers.items() if response.status in (301, 302, 307)}
    leads_to = {url: join(url, [answers[url].header(b"location").decode()])[0] for url in redirects}
    assert set(leads_to.values()) <= answers.keys()
    assert redirects <= linked | set(leads_to.values())


def test_links_are_mostly_inside_and_as_many_as_asked_for(made: MadeWeb) -> None:
    assert 0.75 <= made.links_inside / made.links <= 0.9
    assert made.links / made.pages == pytest.approx(30, rel=0.05)


def test_sizes_and_in_degrees_have_heavy_tails(made: MadeWeb, pages: dict[str, Page]) -> None:
    per_site = Counter(map(site_of, pages))
    assert len(per_site) == made.sites
    assert max(per_site.values()) > 5 * np.median(list(per_site.values()))
    in_degrees = Counter(link for page in pages.values() for link in page.links if link in pages)
    assert max(in_degrees.values()) > 20 * np.median(list(in_degrees.values()))
    sizes = np.array([len(page.response.body) for page in pages.values() if "<frameset" not in page.text])
    assert sizes.mean() == pytest.approx(12_000, rel=0.05)
    assert np.quantile(sizes, 0.005) > 3500
    assert np.quantile(sizes, 0.995) < 42_000


def test_redirects_chain_and_loop(answers: dict[str, Response]) -> None:
    to = {
        url: join(url, [response.header(b"location").decode()])[0]
        for url, response in answers.items()
        if response.status in (301, 302, 307)
    }
    assert {answers[url].status for url in to} >= {301, 302}

    def hops(url: str) -> int:
        seen: list[str] = []
        while url in to and url not in seen:
            seen.append(url)
            url = to[url] or ""
        return -1 if url in seen else len(seen)

    assert max(map(hops, to)) == 4
    assert [hops(url) for url in to].count(-1) == 2


def test_the_oddities_are_there(answers: dict[str, Response], pages: dict[str, Page]) -> None:
    texts = [page.text for page in pages.values()]
    for oddity in (
        'rel="nofollow"',
        "<base href=",
        "<area ",
        "<iframe ",
        "<frame ",
        'rel="next"',
        'rel="prev"',
        'rel="canonical"',
        "mailto:",
        "javascript:",
        "#part-",
        'href="../',
        ":80/",
        'charset="utf-8"',
        "charset=shift_jis",
        "charset=iso-8859-1",
    ):
        assert any(oddity in text for text in texts), oddity
    types = {page.response.header(b"content-type") for page in pages.values()}
    assert {b"text/html", b"text/html; charset=shift_jis", b"text/html; charset=iso-8859-1"} <= types
    assert 1 <= sum(response.delay == 0.3 for response in answers.values()) <= 20
    assert any("?" in url for url in pages)
    assert max(url.count("/") for url in pages) >= 6
    bodies = Counter(page.response.body for page in pages.values())
    copied = [url for url, page in pages.items() if bodies[page.response.body] > 1]
    assert len(copied) >= 30
    assert len({site_of(url) for url in copied}) > 5


def test_urls_are_canonical_and_seeds_are_the_roots(made: MadeWeb, answers: dict[str, Response]) -> None:
    assert all(canonical(url) == url for url in answers)
    assert made.seeds_path == made.path.with_name("web.seeds.txt")
    assert made.seeds_path.read_text().split() == made.seeds
    assert sorted(made.seeds) == build_index([made.path]).roots()
    assert all(site_of(url).endswith((".example", ".test")) for url in made.seeds)


def test_warcio_finds_no_fault(made: MadeWeb, capsys: pytest.CaptureFixture[str]) -> None:
    class Arguments:
        inputs = (str(made.path),)
        verbose = False

    checker = Checker(Arguments())
    checker.process_all()
    assert checker.exit_value == 0, capsys.readouterr().out


def _contents(path: Path) -> list[tuple[str, Response]]:
    return [(url, read_response(entry)) for url, entry in build_index([path]).entries.items()]


def test_a_seed_determines_the_web(tmp_path: Path) -> None:
    webs = []
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        webs.append(_contents(make_web(tmp_path / name, sites=5, pages=60, seed=seed).path))
    assert webs[0] == webs[1]
    assert webs[0] != webs[2]


def test_gzip_changes_only_the_encoding(tmp_path: Path) -> None:
    plain = make_web(tmp_path / "plain", sites=5, pages=60, seed=5)
    zipped = make_web(tmp_path / "zipped", sites=5, pages=60, seed=5, gzip=True)
    assert zipped.body_bytes < zipped.html_bytes / 2
    assert plain.html_bytes == zipped.html_bytes
    for (url, one), (other_url, other) in zip(_contents(plain.path), _contents(zipped.path), strict=True):
        assert url == other_url
        assert other.header(b"content-encoding") == b"gzip"
        assert isal_zlib.decompress(other.body, wbits=31) == one.body


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sites": 0}, "at least one site"),
        ({"sites": -3}, "at least one site"),
        ({"pages": 4}, "too few"),
        ({"pages": -1}, "too few"),
        ({"seed": -1}, "negative"),
        ({"links": 0}, "links"),
        ({"page_kb": -1}, "page size"),
        ({"page_kb": float("nan")}, "page size"),
        ({"robots": 1.5}, "robots.txt"),
    ],
)
def test_impossible_numbers_are_refused(tmp_path: Path, change: dict[str, float], complaint: str) -> None:
    numbers: dict[str, float] = {"sites": 5, "pages": 60, "seed": 1} | change
    with pytest.raises(ValueError, match=complaint):
        make_web(tmp_path / "web.warc.gz", **numbers)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("existing", ["web.warc.gz", "web.seeds.txt"])
def test_existing_files_are_left_alone(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_text("mine")
    with pytest.raises(FileExistsError, match=existing):
        make_web(tmp_path / "web.warc.gz", sites=1, pages=1, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "mine"


@pytest.mark.parametrize(("sites", "pages"), [(1, 1), (3, 3), (1, 2), (2, 50)])
def test_tiny_webs_are_webs(tmp_path: Path, sites: int, pages: int) -> None:
    made = make_web(tmp_path / "web.warc.gz", sites=sites, pages=pages, seed=1, links=5)
    found = {url: _read(url, response) for url, response in _contents(made.path) if response.status == 200}
    assert _reachable(found, made.seeds) == found.keys()
    assert len(found) == pages


@pytest.mark.parametrize(
    ("path", "seeds"),
    [("a/web.warc.gz", "a/web.seeds.txt"), ("web.warc", "web.seeds.txt"), ("web", "web.seeds.txt")],
)
def test_seeds_lie_beside_the_web(path: str, seeds: str) -> None:
    assert seeds_path(Path(path)) == Path(seeds)


_SHAPES = st.tuples(st.integers(1, 12), st.integers(0, 150), st.integers(0, 2**32))


@given(_SHAPES)
def test_without_skew_sites_differ_by_a_page_at_most(shape: tuple[int, int, int]) -> None:
    sites, more, seed = shape
    sizes = site_sizes(sites, sites + more, np.random.default_rng(seed), skew=0.0)
    assert sizes.sum() == sites + more
    assert sizes.max() - sizes.min() <= 1


@given(_SHAPES)
def test_sites_sum_up_and_trees_stay_on_their_site(shape: tuple[int, int, int]) -> None:
    sites, more, seed = shape
    rng = np.random.default_rng(seed)
    sizes = site_sizes(sites, sites + more, rng)
    assert sizes.sum() == sites + more
    assert sizes.min() >= 1
    trees = grow_trees(sizes, rng)
    for page, parent in enumerate(trees.parent.tolist()):
        if page == trees.start[trees.site[page]]:
            assert parent == -1
        else:
            assert trees.start[trees.site[page]] <= parent < page


@given(_SHAPES, st.integers(0, 40))
def test_links_are_distinct_and_hold_the_tree(shape: tuple[int, int, int], mean: int) -> None:
    sites, more, seed = shape
    rng = np.random.default_rng(seed)
    trees = grow_trees(site_sizes(sites, sites + more, rng), rng)
    outgoing = rng.integers(0, mean + 1, sites + more)
    links = draw_links(trees, outgoing, rng)
    pairs = list(zip(links.source.tolist(), links.target.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert all(source != target for source, target in pairs)
    assert {(int(trees.parent[p]), p) for p in range(sites + more) if trees.parent[p] >= 0} <= set(pairs)
    assert (np.diff(links.bounds(sites + more)) <= np.maximum(outgoing, trees.children)).all()


@given(_SHAPES)
def test_addresses_are_canonical_and_all_different(shape: tuple[int, int, int]) -> None:
    sites, more, seed = shape
    rng = np.random.default_rng(seed)
    trees = grow_trees(site_sizes(sites, sites + more, rng), rng)
    addresses = name_everything(trees, cast_roles(trees, rng), draw_ghosts(trees, rng), rng)
    assert len(set(addresses.url)) == len(addresses.url)
    assert [canonical(url) for url in addresses.url] == addresses.url
    assert [addresses.host[site] for site in addresses.site] == [site_of(url) for url in addresses.url]


@given(st.integers(1, 300), st.floats(1, 100), st.integers(0, 2**32))
def test_page_sizes_have_the_mean_asked_for(pages: int, mean_kb: float, seed: int) -> None:
    sizes = draw_sizes(pages, mean_kb, np.random.default_rng(seed))
    assert sizes.mean() == pytest.approx(mean_kb * 1000, rel=0.03)
    assert sizes.min() >= min(5000, mean_kb * 1000 / 3)
    assert sizes.max() <= max(40_000, mean_kb * 2000)
