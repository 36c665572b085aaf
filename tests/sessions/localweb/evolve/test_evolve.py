"""Evolved webs as files: what is the same, what is new, that all of it can be found, served and imported."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import pairwise
from pathlib import Path

import lxml.html
import networkx as nx
import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]
from warcio.checker import Checker  # type: ignore[import-untyped]

from crawler.pages.warc_import import import_warcs
from sessions.localweb.evolve.evolve import EvolvedWeb, evolve_web
from sessions.localweb.evolve.rates import Rates
from sessions.localweb.evolve.snapshot import BORN_HEADER, decoded
from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.response import Response, read_response
from sessions.localweb.serve.server import LocalWeb
from sessions.storage.warc_index import build_index
from sessions.url import join
from tests.sessions.conftest import WriteWarc
from tests.sessions.localweb.support.warcs import record_bytes, response

HTML = "Content-Type: text/html"
LIVELY = Rates(births=0.03, deaths=0.03, new_sites=0.01, site_deaths=0.005)


@dataclass
class Web:
    """A web file as it is answered, and the links of its pages as lxml finds them."""

    path: Path
    answers: dict[str, Response]
    links: dict[str, set[str]]
    followed: nx.DiGraph

    @property
    def born(self) -> set[str]:
        return {url for url, answer in self.answers.items() if answer.header(BORN_HEADER.lower().encode())}


def read(path: Path) -> Web:
    answers = {url: read_response(entry) for url, entry in build_index([path]).entries.items()}
    web = Web(path, answers, {}, nx.DiGraph())
    web.followed.add_nodes_from(answers)
    for url, answer in answers.items():
        followed: set[str] = set()
        if 300 <= answer.status < 400:
            followed = {join(url, [answer.header(b"location").decode()])[0] or ""}
        elif answer.status == 200 and answer.header(b"content-type").startswith(b"text/html"):
            web.links[url], followed = links_of(url, answer)
        web.followed.add_edges_from((url, target) for target in followed & answers.keys())
    return web


def links_of(url: str, answer: Response) -> tuple[set[str], set[str]]:
    html = decoded(answer)
    assert html is not None
    charset = re.search(rb"charset=\"?([\w-]+)", answer.header(b"content-type") + html[:1024])
    text = html.decode(charset[1].decode() if charset else "latin-1").replace("<!DOCTYPE html>", "")
    tree = lxml.html.fromstring(text)
    base = join(url, [*tree.xpath("//base/@href"), ""][:1])[0] or url
    every = join(base, tree.xpath("//a/@href | //area/@href | //iframe/@src | //frame/@src"))
    marked = "not(contains(@rel, 'nofollow'))"
    followed = join(base, tree.xpath(f"//a[{marked}]/@href | //area/@href | //iframe/@src | //frame/@src"))
    return {link for link in every if link} - {url}, {link for link in followed if link} - {url}


def reached(web: Web, seeds: list[str]) -> set[str]:
    return set(seeds).union(*(nx.descendants(web.followed, seed) for seed in seeds))


def dates(path: Path) -> dict[str, str]:
    with path.open("rb") as file:
        records = [record.rec_headers for record in ArchiveIterator(file) if record.rec_type == "response"]
    return {record["WARC-Target-URI"]: record["WARC-Date"] for record in records}


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    path = tmp_path_factory.mktemp("evolving") / "web-0.warc.gz"
    return make_web(path, sites=20, pages=600, seed=1, links=12, page_kb=5, robots=0.3)


@pytest.fixture(scope="module")
def chain(first: MadeWeb) -> list[EvolvedWeb]:
    """Three weeks."""
    webs: list[EvolvedWeb] = []
    for week in (1, 2, 3):
        source = webs[-1].path if webs else first.path
        path = source.with_name(f"web-{7 * week}.warc.gz")
        webs.append(evolve_web(source, path, days=7, seed=1, rates=LIVELY))
    return webs


@pytest.fixture(scope="module")
def files(first: MadeWeb, chain: list[EvolvedWeb]) -> list[Web]:
    return [read(path) for path in (first.path, *(web.path for web in chain))]


def test_counts_are_those_of_the_files(chain: list[EvolvedWeb], files: list[Web]) -> None:
    for evolved, before, after in zip(chain, files, files[1:], strict=False):
        old, new = before.links.keys(), after.links.keys()
        assert evolved.pages == len(new)
        assert evolved.born == len(new - old) == len((after.born - before.born) & new)
        assert evolved.gone == len(old - new)
        both = old & new
        changed = {url for url in both if before.answers[url].body != after.answers[url].body}
        assert evolved.edited == len(changed)
        assert evolved.links_added == sum(len(after.links[url] - before.links[url]) for url in both)
        assert evolved.links_removed == sum(len(before.links[url] - after.links[url]) for url in both)
        assert evolved.links_born == sum(len(after.links[url]) for url in new - old)
        assert evolved.links_gone == sum(len(before.links[url]) for url in old - new)
        assert evolved.copied == len(before.answers.keys() & after.answers.keys()) - len(changed)
        assert evolved.sites == len({url.split("/")[2] for url in after.answers})


def test_all_kinds_of_things_happened(chain: list[EvolvedWeb]) -> None:
    for name in ("born", "gone", "edited", "links_added", "links_removed", "links_born", "links_gone", "copied"):
        assert all(getattr(web, name) > 10 for web in chain), name
    assert sum(web.new_sites for web in chain) > 0
    assert sum(web.gone_sites for web in chain) > 0


def test_what_is_not_edited_is_byte_for_byte_what_it_was(chain: list[EvolvedWeb], files: list[Web]) -> None:
    for evolved, before, after in zip(chain, files, files[1:], strict=False):
        was, now = dates(before.path), dates(after.path)
        today = datetime.fromtimestamp(evolved.date, UTC)
        for url in before.answers.keys() & after.answers.keys():
            old, new = before.answers[url], after.answers[url]
            if old.body == new.body:
                assert old == new
                assert was[url] == now[url]
            else:
                assert old.header(b"etag") != new.header(b"etag") != b""
                assert parsedate_to_datetime(new.header(b"last-modified").decode()) == today
                assert datetime.fromisoformat(now[url]) == today > datetime.fromisoformat(was[url])
                kept = [header for header in old.headers if header[0] not in (b"ETag", b"Last-Modified")]
                assert kept == list(new.headers[:-2])


def test_the_date_goes_on_by_the_days(chain: list[EvolvedWeb]) -> None:
    week = 7 * 86_400
    assert [web.date for web in chain] == [1_704_067_200 + n * week for n in (1, 2, 3)]


def test_every_page_born_is_reached_from_the_seeds(chain: list[EvolvedWeb], files: list[Web]) -> None:
    for evolved, before, web in zip(chain, files, files[1:], strict=False):
        assert evolved.seeds_path.read_text().split() == evolved.seeds
        assert set(evolved.seeds) <= web.links.keys()
        found = reached(web, evolved.seeds)
        assert len(web.born - before.born) == evolved.born
        assert web.born - before.born <= found
        assert evolved.unreached == len(web.links.keys() - found)
        assert evolved.unreached <= 0.03 * evolved.pages


def test_new_sites_are_seeds_and_gone_ones_are_not(files: list[Web], chain: list[EvolvedWeb]) -> None:
    for evolved, before, after in zip(chain, files, files[1:], strict=False):
        old, new = ({url.split("/")[2] for url in web.answers} for web in (before, after))
        assert evolved.new_sites == len(new - old)
        assert evolved.gone_sites == len(old - new)
        assert {seed.split("/")[2] for seed in evolved.seeds} == new
        for host in new - old:
            linked = set().union(*(links for url, links in after.links.items() if url.split("/")[2] != host))
            assert f"http://{host}/" in linked


def test_robots_and_redirects_stay(files: list[Web]) -> None:
    for before, after in pairwise(files):
        others = before.answers.keys() - before.links.keys()
        living = {url.split("/")[2] for url in after.answers}
        assert {url for url in others if url.split("/")[2] in living} == after.answers.keys() - after.links.keys()


def contents(path: Path) -> list[tuple[str, Response]]:
    return [(url, read_response(entry)) for url, entry in build_index([path]).entries.items()]


def test_the_same_numbers_give_the_same_web(first: MadeWeb, tmp_path: Path) -> None:
    webs = []
    for name, days, seed in (("a", 7, 3), ("b", 7, 3), ("c", 7, 4), ("d", 8, 3)):
        evolved = evolve_web(first.path, tmp_path / name, days=days, seed=seed, rates=LIVELY)
        webs.append((contents(evolved.path), evolved.seeds_path.read_text()))
    assert webs[0] == webs[1]
    assert webs[0] != webs[2]
    assert webs[0] != webs[3]
    assert dates(tmp_path / "a") == dates(tmp_path / "b")


def test_nothing_changes_at_rate_0(first: MadeWeb, tmp_path: Path) -> None:
    still = Rates(births=0, deaths=0, edits=0, link_edits=0, new_sites=0, site_deaths=0)
    evolved = evolve_web(first.path, tmp_path / "web", days=9, seed=1, rates=still)
    assert contents(evolved.path) == contents(first.path)
    assert evolved.seeds == first.seeds
    assert (evolved.born, evolved.gone, evolved.edited, evolved.links_added, evolved.links_removed) == (0, 0, 0, 0, 0)


def test_compressed_webs_stay_compressed(tmp_path: Path) -> None:
    made = make_web(tmp_path / "web-0.warc.gz", sites=3, pages=60, seed=2, links=5, page_kb=2, gzip=True)
    evolved = evolve_web(made.path, tmp_path / "web-9.warc.gz", days=9, seed=1, rates=LIVELY)
    web = read(evolved.path)
    assert evolved.born
    assert evolved.edited
    assert all(answer.header(b"content-encoding") == b"gzip" for answer in web.answers.values())


def test_it_is_served_imported_and_found_faultless(
    chain: list[EvolvedWeb], files: list[Web], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Arguments:
        inputs = (str(chain[-1].path),)
        verbose = False

    checker = Checker(Arguments())
    checker.process_all()
    assert checker.exit_value == 0, capsys.readouterr().out
    imported = import_warcs([chain[-1].path], tmp_path / "session")
    assert imported.pages + imported.robots == len(files[-1].answers)
    assert imported.robots == sum(url.endswith("/robots.txt") for url in files[-1].answers)
    assert (imported.repeated, imported.foreign, imported.unreadable) == (0, 0, 0)
    url = sorted(files[-1].born)[0]
    web = LocalWeb([chain[-1].path])
    answer = web.answer("GET", "http", url.split("/")[2], "/" + url.split("/", 3)[3])
    assert answer.whole.endswith(files[-1].answers[url].body)


def test_a_foreign_web_evolves(write_warc: WriteWarc, tmp_path: Path) -> None:
    """Plain, undated, with a revisit, odd bytes, images; nothing in it is ours."""
    site = "http://a.example/"
    index = "".join(f"<LI><A HREF=p{n}.html>page {n}</A>" for n in range(30)).encode() + b"\xe9\xff"
    digest = "WARC-Payload-Digest: sha1:AAAA"
    pages = [
        record_bytes("response", f"{site}p{n}.html", response(b"<p>%d" % n, HTML), f"{digest}{n}") for n in range(30)
    ]
    path = write_warc(
        (
            record_bytes("response", site, response(index, HTML)),
            *pages,
            record_bytes("revisit", f"{site}copy.html", response(b"", HTML), f"{digest}7"),
            record_bytes("response", f"{site}i.png", response(b"\x89PNG", "Content-Type: image/png", 'ETag: "x"')),
            record_bytes("response", f"{site}strange", b"no HTTP at all"),
        ),
        "foreign.warc",
    )
    evolved = evolve_web(path, tmp_path / "later.warc.gz", days=20, seed=1, rates=Rates(births=0.05))
    entries = build_index([evolved.path]).entries
    assert evolved.born
    assert evolved.gone
    assert evolved.edited
    assert evolved.seeds[0] == site
    assert read_response(entries[f"{site}i.png"]) == read_response(build_index([path]).entries[f"{site}i.png"])
    assert f"{site}strange" in entries
    assert b"\xe9\xff" in read_response(entries[site]).body
    if f"{site}copy.html" in entries:
        assert read_response(entries[f"{site}copy.html"]).body
    again = evolve_web(evolved.path, tmp_path / "later-still.warc.gz", days=20, seed=1)
    assert again.date == 1_704_067_200 + 40 * 86_400


def test_a_damaged_file_evolves_as_far_as_it_goes(first: MadeWeb, tmp_path: Path) -> None:
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(first.path.read_bytes()[:-20_000])
    (warning,) = evolve_web(cut, tmp_path / "web.warc.gz", days=1, seed=1).warnings
    assert "cut off or damaged" in warning


@pytest.mark.parametrize(("days", "seed", "complaint"), [(0, 1, "days"), (3651, 1, "days"), (7, -1, "seed")])
def test_impossible_numbers_are_refused(first: MadeWeb, tmp_path: Path, days: int, seed: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        evolve_web(first.path, tmp_path / "web", days=days, seed=seed)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_nothing(tmp_path: Path, write_warc: WriteWarc) -> None:
    empty = write_warc([record_bytes("response", "http://a.example/", response(b"x"))])
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(ValueError, match="no HTML page"):
        evolve_web(empty, out / "web", days=7, seed=1)
    with pytest.raises(ValueError, match="not a WARC"):
        evolve_web(Path(__file__), out / "web", days=7, seed=1)
    with pytest.raises(FileNotFoundError):
        evolve_web(tmp_path / "absent", out / "web", days=7, seed=1)
    assert list(out.iterdir()) == []


def test_progress_is_told(first: MadeWeb, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    evolve_web(first.path, tmp_path / "web", days=1, seed=1, progress=lambda *what: told.append(what))
    assert {what for what, _, _ in told} == {"reading", "writing"}
    assert all(done < total for _, done, total in told)
