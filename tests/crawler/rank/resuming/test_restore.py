"""A crawl that is broken off and goes on ends as one that never was."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.crawler.support import fake_web
from tests.crawler.support.fake_web import SEED, Answer, Crawls, Script, page, redirect, robots_txt

TINY = 0.001
MEMORIES = ("seen_memory", "frontier_memory", "content_memory", "duplicate_memory", "budget_memory")


class KilledError(Exception):
    """Stands for a SIGKILL: the rank's files stay as they are."""


def made_web() -> dict[str, Script]:
    """Some sites that link to each other, with a redirect, a document that comes twice, and a robots.txt."""
    script: dict[str, Script] = {SEED: page(*(f"http://s{site}.example/" for site in range(6)))}
    for site in range(6):
        name = f"http://s{site}.example/"
        script[name] = page(*(f"{name}{number}" for number in range(8)), f"http://s{(site + 1) % 6}.example/7")
        for number in range(8):
            script[f"{name}{number}"] = page(f"{name}{number}/deep", f"{name}gone", seconds=0.1 + 0.05 * number)
            script[f"{name}{number}/deep"] = page(name)
    script["http://s0.example/3"] = redirect("http://s4.example/moved")
    script["http://s1.example/robots.txt"] = robots_txt("User-agent: *\nDisallow: /5\nCrawl-delay: 2\n")
    return script


def killing(at: int) -> Callable[[int], None]:
    """Breaks a crawl off at so many requests."""

    def on_start(number: int) -> None:
        if number >= at:
            raise KilledError

    return on_start


@pytest.mark.parametrize(
    ("order", "is_tiny"), [("bfs", True), ("budget", False)], ids=["bfs-on-disk", "budget-in-memory"]
)
def test_a_crawl_that_was_killed_again_and_again_ends_with_the_same_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str, is_tiny: bool
) -> None:
    options: dict[str, Any] = {"order": order, "delay": 0.0, "server_delay": 0.0, "epoch_seconds": 1.0}
    if is_tiny:
        options |= dict.fromkeys(MEMORIES, TINY)
    elif order == "bfs":  # elsewhere a page may be fetched before the shortest way to it is known
        options["max_depth"] = 2
    undisturbed = Crawls(monkeypatch, tmp_path / "undisturbed")(made_web(), **options)
    expected = sorted((row["url"], row["status"]) for row in undisturbed.pages())
    assert len(expected) > 50
    for kills in ([0, 25], [20, 9, 0, 5]):
        crawls = Crawls(monkeypatch, tmp_path / f"killed-{len(kills)}")
        with pytest.raises(KilledError):
            crawls(made_web(), on_start=killing(kills[0]), **options)
        for at in kills[1:]:
            with pytest.raises(KilledError):
                crawls.resume(made_web(), on_start=killing(at))
        done = crawls.resume(made_web())
        assert sorted((row["url"], row["status"]) for row in done.pages()) == expected
        assert done.outcomes() == undisturbed.outcomes()
        assert done.links() == undisturbed.links()
        assert max(Counter(done.session.read("urls")["hash"].to_pylist()).values()) == 1


def test_robots_txt_and_documents_are_remembered(crawls: Crawls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake_web, "EPOCH_1970", datetime.now(UTC).timestamp() - 1000.0)
    script = {SEED: page("/1", "/2"), "http://a.example/1": page("/3"), "http://a.example/2": page("/4")}
    script |= {"http://a.example/3": page("/9"), "http://a.example/4": page("/9")}
    robots = {"http://a.example/robots.txt": robots_txt("User-agent: *\nDisallow: /9\n")}
    first = crawls({**script, **robots}, max_pages=4)
    assert first.report["duplicates"] == 0
    done = crawls.resume(script, "--max-pages", "100")
    assert crawls.web.requests("robots.txt") == []
    assert done.page("http://a.example/4")["duplicate_of"] == done.page("http://a.example/3")["hash"]
    assert done.outcomes()["http://a.example/9"] == ("filtered", "robots")


def test_caps_and_limits_hold_for_all_runs_together(crawls: Crawls) -> None:
    script = {SEED: page(*(f"/{number}" for number in range(20)))}
    assert len(crawls(script, max_pages=4, max_pages_per_site=9).pages()) == 4
    assert len(crawls.resume(script, "--max-pages", "6").pages()) == 6
    done = crawls.resume(script, "--max-pages", "100")
    assert len(done.pages()) == 9
    assert str(done.ending) == "complete"
    assert done.session.ended is not None
    assert done.session.ended["seconds"] == pytest.approx(done.report["seconds"], abs=0.01), "of all runs"


def test_caps_of_domains_and_addresses_hold_for_all_runs_together(crawls: Crawls) -> None:
    hosts = [f"{name}.farm.example" for name in "uvwxyz"]
    script = {SEED: page(*(f"http://{host}/{n}" for n in range(5) for host in hosts))}
    at_one_address = {host: ["192.0.2.251"] for host in hosts}
    for limit, reason in (("max_pages_per_domain", "domain-cap"), ("max_pages_per_address", "address-cap")):
        crawls(script, max_pages=6, addresses=at_one_address, **{limit: 9})
        done = crawls.resume(script, "--max-pages", "100", addresses=at_one_address)
        assert Counter(row["site"].endswith("farm.example") for row in done.pages()) == {False: 1, True: 9}
        assert set(done.outcomes().values()) == {("filtered", reason)}


def test_a_site_counts_as_visited_when_the_run_began(crawls: Crawls) -> None:
    script = {SEED: page("/1", "/2")}
    crawls(script, max_pages=1, delay=10.0)
    crawls.resume(script, "--max-pages", "100")
    assert crawls.web.log[0].began >= 1010.0


def test_rules_given_later_hold_for_what_is_queued(crawls: Crawls) -> None:
    script = {SEED: page(*(f"/{number}" for number in range(9)))}
    crawls(script, max_pages=3)
    done = crawls.resume(script, "--max-pages", "100", "--exclude", "/[5-7]$")
    assert {url for url, outcome in done.outcomes().items() if outcome[0] == "filtered"} == {
        f"http://a.example/{number}" for number in (5, 6, 7)
    }
    assert len(done.pages()) == 7


def test_a_url_that_was_refused_beyond_the_limits_has_one_outcome(crawls: Crawls) -> None:
    script = {SEED: page("/1", "/2", "/3"), "http://a.example/9": page()}
    crawls(script, SEED, "http://a.example/9", max_depth=0, exclude=("/3$",), max_pages=1)
    done = crawls.resume(script, "--max-pages", "100")
    assert sorted(done.outcomes().values()) == [("filtered", "depth"), ("filtered", "depth"), ("filtered", "exclude")]


def test_a_page_that_lies_beyond_a_lower_limit_is_fetched_once(crawls: Crawls) -> None:
    script = {SEED: page("/1"), "http://a.example/1": page("/2"), "http://a.example/2": page("/3")}
    crawls(script, max_pages=3)
    done = crawls.resume(script, "--max-pages", "100", "--max-depth", "1")
    assert [row["depth"] for row in done.pages()] == [0, 1, 2]
    assert list(done.outcomes().values()) == [("filtered", "depth")]


def test_links_that_were_not_followed_may_be_followed_later(crawls: Crawls) -> None:
    script: dict[str, Script] = {
        SEED: Answer(b'<a href="/x" rel=nofollow>x</a><a href="/1">1</a>'),
        "http://a.example/1": page("/x"),
        "http://a.example/x": page(),
    }
    crawls(script, max_pages=1, honour_nofollow=True)
    done = crawls.resume(script, "--max-pages", "100", "--no-honour-nofollow")
    assert len(done.pages()) == 3
