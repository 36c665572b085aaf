"""A session as arrays, against the same session as plain lists."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings

from crawler.replay.recording import NOT_RECORDED, Recording, as_replayed, most_linked, recording_of
from sessions.importing.imported_session import ASSIGNMENT
from sessions.schema import FILTERED, NOFOLLOW, UNFOLLOWED
from sessions.session import Session, SessionError
from sessions.url import url_hash, url_hashes
from tests.crawler.replay.support.courses import recording_with
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, Plain, drawn, plain, write
from tests.sessions.support.breaking import edit_header, table_entry
from tests.sessions.support.builder import Crawl

SMALL = settings(derandomize=True, deadline=None, max_examples=40)


def links_of(recording: Recording) -> dict[str, dict[str, int]]:
    urls, starts = recording.urls.to_pylist(), recording.starts.tolist()
    targets, flags = [urls[target] for target in recording.targets.tolist()], recording.flags.tolist()
    return {
        urls[page]: dict(zip(targets[start:stop], flags[start:stop], strict=True))
        for page, (start, stop) in enumerate(pairwise(starts))
    }


def reached(recording: Recording) -> set[int]:
    """The pages that one process comes to from the seeds."""
    new = [seed for seed in recording.seeds.tolist() if seed < recording.page_count]
    found = set(new)
    while new:
        page = new.pop()
        links = range(recording.starts[page], recording.starts[page + 1])
        targets = {int(recording.targets[link]) for link in links if recording.is_followed[link]}
        more = {target for target in targets if target < recording.page_count} - found
        found |= more
        new += more
    return found


@SMALL
@given(drawn())
def test_a_recording_is_what_the_session_holds(what: Drawn) -> None:
    with TemporaryDirectory() as folder:
        session = Session.open(write(Path(folder) / "session", what))
        recording, told = recording_of(session.path), plain(session)
        urls = recording.urls.to_pylist()
        assert urls == [*told.pages, *told.others]
        assert recording.hashes.tolist() == url_hashes(urls).tolist()
        assert (recording.page_count, len(recording)) == (len(told.pages), len(urls))
        assert recording.pages.to_pylist() == list(told.pages.values())
        assert links_of(recording) == told.links
        assert [list(targets) for targets in links_of(recording).values()] == [list(its) for its in told.links.values()]
        reasons = [recording.reason_names[number] for number in recording.reasons.tolist()]
        assert reasons == [told.reasons[url] for url in told.others]
        assert recording.bytes.tolist() == [row["bytes"] for row in told.pages.values()]
        assert recording.url_bytes.tolist() == [len(url.encode()) for url in urls]
        assert recording.first_fetched == min(row["fetched"].timestamp() for row in told.pages.values())
        unfollowed = UNFOLLOWED | (NOFOLLOW if what.honours_nofollow else 0)
        assert recording.is_followed.tolist() == [
            not flags & unfollowed for links in told.links.values() for flags in links.values()
        ]
        _assert_seeds(recording, told)


def _assert_seeds(recording: Recording, told: Plain) -> None:
    """Pages of depth 0, what was discovered though no link leads to it, and what else it takes to reach all pages."""
    seeds = set(recording.seeds.tolist())
    assert seeds >= {place for place, row in enumerate(told.pages.values()) if row["depth"] == row["hops"] == 0}
    linked = {target for links in told.links.values() for target in links}
    unlinked = {place for place, url in enumerate(told.others, start=len(told.pages)) if url not in linked}
    assert {seed for seed in seeds if seed >= len(told.pages)} == unlinked
    assert reached(recording) == set(range(recording.page_count))


@SMALL
@given(drawn())
def test_numbers_and_hashes_and_texts_agree(what: Drawn) -> None:
    with TemporaryDirectory() as folder:
        recording = recording_of(write(Path(folder) / "session", what))
        known = recording.urls.to_pylist()
        asked = [*URLS, "http://never.example/", *URLS[::-1]]
        expected = [known.index(url) if url in known else -1 for url in asked]
        assert recording.numbers_of(url_hashes(asked)).tolist() == expected
        assert [recording.number_of(url_hash(url)) for url in asked] == expected
        assert recording.texts(np.array([number for number in expected if number >= 0])) == [
            url for url in asked if url in known
        ]
        assert recording.numbers_of(np.empty(0, np.uint64)).tolist() == []


def small(path: Path, **more: str) -> Path:
    pages = [Fetched(URLS[0], 1, 0, 0, {URLS[1]: 0}), Fetched(URLS[1], 2, 0, 0, {}), Fetched(URLS[2], 3, 1, 0, {})]
    return write(path, Drawn(False, [URLS[:4], []], [pages, []], [{}, {}]), **more)


def test_of_an_import_every_page_has_depth_0_and_nothing_is_a_seed_for_that(tmp_path: Path) -> None:
    assert recording_of(small(tmp_path / "crawled")).seeds.tolist() == [0, 1, 2, 3]
    assert recording_of(small(tmp_path / "imported", assignment=ASSIGNMENT)).seeds.tolist() == [0, 2]


def test_what_the_crawl_left_in_its_frontier_is_not_recorded(tmp_path: Path) -> None:
    recording = recording_of(small(tmp_path / "session"))
    assert recording.reasons.tolist() == [0]
    assert recording.reason_names == [(FILTERED, NOT_RECORDED)]


def test_sessions_that_cannot_be_replayed_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no such file"):
        recording_of(tmp_path)
    Crawl(tmp_path / "empty").close()
    with pytest.raises(SessionError, match="empty: no pages were downloaded, so there is nothing to replay"):
        recording_of(tmp_path / "empty")


@SMALL
@given(drawn(), drawn())
def test_a_recording_with_the_times_and_links_of_its_replay(what: Drawn, again: Drawn) -> None:
    with TemporaryDirectory() as folder:
        recording = recording_of(write(Path(folder) / "recorded", what))
        replayed = Session.open(write(Path(folder) / "replayed", again))
        pages = plain(replayed).pages
        url_of = dict(zip(url_hashes(URLS).tolist(), URLS, strict=True))
        links: dict[str, dict[str, int]] = {}
        for row in replayed.read("links").to_pylist():
            source, target = url_of[row["source"]], url_of[row["target"]]
            if source != target:
                links.setdefault(source, {}).setdefault(target, row["flags"])
        timed, read = (as_replayed(recording, replayed, has_links=has_links) for has_links in (False, True))
        known = recording.urls.to_pylist()
        for found in (timed, read):
            expected = [12.5 if url in pages else 0.0 for url in known[: recording.page_count]]
            assert found.milliseconds.tolist() == expected
            assert found.seeds is recording.seeds
            assert found.fetchers.tolist() == recording.fetchers.tolist()
        assert links_of(timed) == links_of(recording)
        assert links_of(read) == {
            url: {target: flags for target, flags in links.get(url, {}).items() if target in known}
            for url in known[: recording.page_count]
        }


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:50])


@pytest.mark.parametrize("table", ["pages", "links", "urls"])
@pytest.mark.parametrize("damage", [Path.unlink, cut])
def test_a_damaged_session_is_refused(tmp_path: Path, table: str, damage: Callable[[Path], None]) -> None:
    session = small(tmp_path / "session")
    damage(session / table_entry(session, table, 0, 1)["file"])
    with pytest.raises(SessionError, match="session is damaged"):
        recording_of(session)


def test_a_header_that_says_nothing_is_refused(tmp_path: Path) -> None:
    session = small(tmp_path / "session")
    edit_header(session, lambda header: header.pop("assignment"))
    with pytest.raises(SessionError, match="assignment is missing"):
        recording_of(session)


LINKS = [(0, 3, 0), (1, 3, NOFOLLOW), (3, 1, 0), (0, 1, 0), (0, 4, 0), (1, 4, 0), (3, 2, 0), (0, 2, NOFOLLOW)]


@pytest.mark.parametrize(("count", "urls"), [(0, []), (1, [1]), (2, [1, 4]), (3, [1, 2, 4]), (9, [1, 2, 3, 4])])
def test_links_that_are_followed_count_and_of_several_urls_the_first_wins(count: int, urls: list[int]) -> None:
    recording = recording_with([1] * 4, LINKS, seeds=[0], others=1)
    assert most_linked(recording, count).tolist() == urls
