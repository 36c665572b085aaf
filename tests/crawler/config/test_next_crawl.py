"""The command of the next crawl says all that the last one was told, but for where it writes and who owns what."""

import shlex
from pathlib import Path

import pytest

from crawler.config.command_line import as_plain_values, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.config.next_crawl import OF_THE_NEXT, arguments_of, next_crawl
from sessions.session import SEEDS
from tests.crawler.config.test_command_line import SAMPLES
from tests.sessions.support.breaking import edit_header
from tests.sessions.support.builder import small_session


@pytest.fixture
def session(tmp_path: Path) -> Path:
    small_session(tmp_path / "my crawl")
    return tmp_path / "my crawl"


@pytest.mark.parametrize("name", sorted(SAMPLES.keys() - OF_THE_NEXT))
def test_every_option_is_said_again(name: str) -> None:
    arguments, _, value = SAMPLES[name]
    before = parsed(arguments)
    assert isinstance(before, CrawlOptions)
    again = parsed(arguments_of(as_plain_values(before)))
    assert getattr(again, name) == value


def test_nothing_is_said_that_is_so_anyway() -> None:
    assert arguments_of(as_plain_values(CrawlOptions())) == []
    assert arguments_of({}) == []


def test_the_command_is_whole(session: Path) -> None:
    options = CrawlOptions(scope="sites", max_pages=7, include=("a b",), out=Path("x"), ranks=3, assign="page-hash")
    edit_header(session, lambda header: header.update(configuration=as_plain_values(options)))
    (session / SEEDS).write_text("http://a.example/\n")
    command = next_crawl(session, "--ranks 4 --partition parts")
    words = shlex.split(command)
    assert words[:2] == ["cutweb", "crawl"]
    found = parsed(words[2:])
    assert isinstance(found, CrawlOptions)
    assert (found.scope, found.max_pages, found.include) == ("sites", 7, ("a b",))
    assert (found.ranks, found.partition, found.assign) == (4, Path("parts"), None)
    assert found.seeds == str(session / SEEDS)
    assert found.out == session.with_name("my crawl-next")


def test_where_there_are_no_seeds_dots_stand_for_them(session: Path) -> None:
    (session / SEEDS).unlink(missing_ok=True)
    assert next_crawl(session, "--ranks 4 --assign page-hash") == "cutweb crawl --ranks 4 --assign page-hash ..."
