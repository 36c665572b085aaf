"""What an operator's rules do to a crawl, changed while it goes on: judged by the requests that the web saw."""

import json
from collections.abc import Callable
from datetime import datetime, tzinfo
from itertools import pairwise
from pathlib import Path

import pytest

import sessions.rule_records
from crawler.config.command_line import UsageError
from crawler.exchange.verdict import Ending
from crawler.rank.rank import Rank
from crawler.rank.rule_changes import RuleChanges
from crawler.site_rules.rule_file import text_of_rules
from sessions.rule_records import rule_records, rules_held
from tests.crawler.support.fake_web import EPOCH_1970, Answer, Crawled, Crawls, page, redirect, robots_txt, too_busy
from tests.crawler.support.visit_log import are, rests

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
MANY = {
    A: page(*(f"/{number}" for number in range(200))),
    **{f"{A}{number}": page() for number in range(200)},
    B: page(*(f"/{number}" for number in range(20))),
    **{f"{B}{number}": page() for number in range(20)},
}
FAST = {"delay": 0.1, "server_delay": 0.0, "superstep": 1.0, "delay_factor": 0.0}


class RuleFile:
    """A file of rules, and how it is written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write("")

    def write(self, text: str) -> None:
        """Put this in the place of what was there."""
        self.path.write_text(text, encoding="utf-8")

    def site(self, name: str, **values: object) -> None:
        """Write one rule, on a site."""
        given = "".join(f"{key.replace('_', '-')} = {json.dumps(value)}\n" for key, value in values.items())
        self.write(f'[[rule]]\nsite = "{name}"\n{given}')

    def at(self, number: int, act: Callable[[], None]) -> Callable[[int], None]:
        """Do something just before the request of this number begins."""
        return lambda begun: act() if begun == number else None


@pytest.fixture
def rules(tmp_path: Path) -> RuleFile:
    return RuleFile(tmp_path / "rules.toml")


def reasons(done: Crawled) -> dict[str, set[str]]:
    """The URLs that were filtered, by reason."""
    found: dict[str, set[str]] = {}
    for url, (state, reason) in done.outcomes().items():
        assert state == "filtered"
        found.setdefault(reason, set()).add(url)
    return found


# blocks


def test_a_site_that_is_blocked_from_the_start_gets_no_request(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", block=True)
    done = crawls(MANY, A, B, rules=rules.path, **FAST)
    assert crawls.web.requests(A) == []
    assert crawls.web.lookups == ["http://b.example"]
    assert reasons(done) == {"rule": {A}}
    assert done.report["fetched"] == 21


def test_a_block_that_is_typed_while_a_site_is_crawled_is_obeyed_in_the_next_superstep(
    crawls: Crawls, rules: RuleFile
) -> None:
    typed: list[float] = []

    def block() -> None:
        typed.append(crawls.web.now())
        rules.site("a.example", block=True)

    done = crawls(MANY, A, B, rules=rules.path, on_start=rules.at(40, block), **FAST)
    late = [seen for seen in crawls.web.log if seen.url.startswith(A) and seen.began > typed[0] + 1.1]
    assert late == []
    assert len(reasons(done)["rule"]) > 100
    assert done.report["fetched"] + done.report["filtered"] == 222
    assert [url for url in crawls.web.requests(A) if url == f"{A}robots.txt"] == [f"{A}robots.txt"]


def test_a_page_that_is_blocked_while_it_is_requested_is_filtered(crawls: Crawls, rules: RuleFile) -> None:
    script = {A: page("/slow"), f"{A}slow": page("/never", seconds=5.0)}
    slow = rules.at(2, lambda: rules.site("a.example", block=True))
    done = crawls(script, A, rules=rules.path, on_start=slow, **FAST)
    assert crawls.web.requests() == [f"{A}robots.txt", A, f"{A}slow"]
    assert reasons(done) == {"rule": {f"{A}slow"}}


def test_unblocking_lets_new_urls_in(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", block=True)
    script = {**MANY, f"{B}19": page("http://a.example/7", "http://a.example/")}
    done = crawls(script, A, B, rules=rules.path, on_start=rules.at(5, lambda: rules.write("")), **FAST)
    assert crawls.web.requests(A) == [f"{A}robots.txt", f"{A}7"]
    assert reasons(done) == {"rule": {A}}


def test_all_that_waits_on_disk_is_filtered(crawls: Crawls, rules: RuleFile) -> None:
    many = {A: page(*(f"/{number:05d}" for number in range(9000)))}
    block = rules.at(30, lambda: rules.site("a.example", block=True))
    done = crawls({**MANY, **many}, A, B, rules=rules.path, on_start=block, frontier_memory=0.01, **FAST)
    assert done.report["filtered"] == len(reasons(done)["rule"]) > 8900
    assert done.report["queued"] == 0


def test_a_rule_on_a_domain_is_about_all_sites_below_it(crawls: Crawls, rules: RuleFile) -> None:
    rules.write('[[rule]]\ndomain = "example"\nblock = true\n\n[[rule]]\nsite = "b.example"\nblock = false\n')
    done = crawls(MANY, A, B, "http://www.a.example/", rules=rules.path, **FAST)
    assert reasons(done) == {"rule": {A, "http://www.a.example/"}}


def test_a_rule_on_a_prefix_is_about_urls(crawls: Crawls, rules: RuleFile) -> None:
    rules.write(f'[[rule]]\nprefix = "{B}1"\nblock = true\n')
    done = crawls(MANY, B, rules=rules.path, **FAST)
    assert reasons(done) == {"rule": {f"{B}{number}" for number in (1, *range(10, 20))}}
    assert done.report["fetched"] == 10


@pytest.mark.parametrize("server_delay", [0.0, 0.2])
def test_a_rule_on_a_network_is_about_the_sites_there(crawls: Crawls, rules: RuleFile, server_delay: float) -> None:
    rules.write('[[rule]]\naddress = "198.51.100.0/24"\nblock = true\n')
    addresses = {"a.example": ["198.51.100.7"], "b.example": ["203.0.113.7"]}
    options = FAST | {"server_delay": server_delay}
    done = crawls(MANY, A, B, rules=rules.path, addresses=addresses, **options)
    assert crawls.web.requests(A) == []
    assert crawls.web.lookups == ["http://a.example", "http://b.example"]
    assert reasons(done) == {"rule": {A}}


def test_a_network_that_is_blocked_while_its_sites_are_crawled(crawls: Crawls, rules: RuleFile) -> None:
    block = rules.at(30, lambda: rules.write('[[rule]]\naddress = "198.51.100.7"\nblock = true\n'))
    addresses = {"a.example": ["198.51.100.7"], "b.example": ["203.0.113.7"]}
    done = crawls(MANY, A, B, rules=rules.path, addresses=addresses, on_start=block, **FAST)
    assert len(reasons(done)["rule"]) > 150
    assert done.report["queued"] == 0


def test_a_block_while_the_robots_file_is_asked_for_again_does_not_outlast_the_block(
    crawls: Crawls, rules: RuleFile
) -> None:
    """The site's gatekeeper waits to ask again, is kept from it, and asks as soon as it may."""
    script = {**MANY, f"{A}robots.txt": [too_busy(), robots_txt("")], f"{B}19": page("http://a.example/7")}
    acts = {3: lambda: rules.site("a.example", block=True), 16: lambda: rules.write("")}
    options = FAST | {"retry_wait": 2.0, "delay": 0.5}
    done = crawls(script, A, B, rules=rules.path, on_start=lambda number: acts.get(number, lambda: None)(), **options)
    assert reasons(done) == {"rule": {A}}
    assert crawls.web.requests(A) == [f"{A}robots.txt", f"{A}robots.txt", f"{A}7"]


def test_a_robots_file_that_lies_on_a_blocked_site_is_not_asked_for(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("b.example", block=True)
    script = {**MANY, f"{A}robots.txt": redirect(f"{B}robots.txt")}
    done = crawls(script, A, rules=rules.path, **FAST)
    assert crawls.web.requests(B) == []
    assert reasons(done) == {"robots-rule": {A}}


@pytest.mark.parametrize("pages", [1, 5])
def test_what_is_left_when_a_crawl_ends_is_filtered_too(
    crawls: Crawls, rules: RuleFile, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    """In the ordering after one page, on the workbench and parked after some."""
    targets = [f"http://c.example/{number}" for number in range(500)]
    script = {A: page(B, *targets), B: page("/1", "/2", "/3"), **dict.fromkeys(targets, page())}
    end = Rank.save_frontier

    def block_before(rank: Rank, ending: Ending) -> None:
        rank._exchange._announcements._topics[0].hear(b'[[rule]]\nsite = "c.example"\nblock = true\n')
        end(rank, ending)

    with monkeypatch.context() as patched:
        patched.setattr(Rank, "save_frontier", block_before)
        done = crawls(script, A, rules=rules.path, max_pages=pages, **FAST)
    assert done.ending == "max-pages"
    assert all(url.startswith(B) for url in done.frontier())
    of_c = [row for row in done.pages() if row["url"].startswith("http://c")]
    assert done.report["filtered"] == len(reasons(done)["rule"]) == 500 - len(of_c)
    again = crawls.resume(script, "--max-pages", "1000")
    assert again.report["queued"] == again.report["filtered"] == 0


# pauses


def test_a_pause_delays_and_changes_nothing(crawls: Crawls, rules: RuleFile) -> None:
    plain = {row["url"] for row in crawls(MANY, A, B, **FAST).pages()}
    paused: list[float] = []

    def pause() -> None:
        paused.append(crawls.web.now())
        rules.site("a.example", pause=True)

    rules.write("")
    acts = {30: pause, 50: lambda: rules.write("")}
    changed: list[tuple[float, int]] = []
    options = FAST | {"max_wait": 5.0}

    def on_start(number: int) -> None:
        acts.get(number, lambda: None)()
        changed.append((crawls.web.now(), number))

    slow = {**MANY, **{f"{B}{number}": page(seconds=5.0) for number in range(20)}}
    done = crawls(slow, A, B, rules=rules.path, on_start=on_start, **options)
    assert {row["url"] for row in done.pages()} == plain
    assert done.outcomes() == {}
    (begun,) = paused
    of_a = [seen.began for seen in crawls.web.log if seen.url.startswith(A)]
    before, after = max(time for time in of_a if time < begun + 1.1), min(time for time in of_a if time > begun + 1.1)
    assert after - before > 20


# delays, names, limits


def test_a_delay_by_rule_takes_the_place_of_the_crawls(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", delay=3)
    crawls({A: page("/1"), B: page("/1")}, A, B, rules=rules.path, delay=1.0, delay_factor=0.0)
    assert are(rests(crawls.web, "a.example"), 3.0, 3.0)
    assert are(rests(crawls.web, "b.example"), 1.0, 1.0)


def test_a_delay_by_rule_shortens_nothing_that_the_site_asks_for(crawls: Crawls, rules: RuleFile) -> None:
    rules.write('[[rule]]\ndomain = "example"\ndelay = 0.1\n')
    script = {
        A: page("/1"),
        f"{A}robots.txt": robots_txt("User-agent: *\nCrawl-delay: 4"),
        B: [too_busy(429, "Retry-After: 7"), page()],
    }
    crawls(script, A, B, rules=rules.path, delay=1.0, server_delay=0.0, delay_factor=0.0)
    assert are(rests(crawls.web, "a.example"), 4.0, 4.0)
    assert are(rests(crawls.web, "b.example"), 0.1, 7.0)


def test_a_delay_on_a_network_holds_between_its_sites(crawls: Crawls, rules: RuleFile) -> None:
    rules.write('[[rule]]\naddress = "198.51.100.0/24"\ndelay = 5\n')
    addresses = {"a.example": ["198.51.100.7"], "b.example": ["198.51.100.7"]}
    crawls({A: page(), B: page()}, A, B, rules=rules.path, addresses=addresses, server_delay=0.1)
    began = [seen.began for seen in crawls.web.log]
    assert len(began) == 4
    assert all(after - before >= 5 for before, after in pairwise(began))


def test_robots_txt_is_read_for_the_name_that_a_rule_gives(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", user_agent="OtherBot/1.0 (test)")
    text = robots_txt("User-agent: OtherBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /")
    script = {A: page("/private", "/open"), f"{A}robots.txt": text, B: page(), f"{B}robots.txt": text}
    done = crawls(script, A, B, rules=rules.path, **FAST)
    assert reasons(done) == {"robots": {f"{A}private", B}}
    assert {seen.url: seen.user_agent for seen in crawls.web.log} == {
        f"{A}robots.txt": "OtherBot/1.0 (test)",
        A: "OtherBot/1.0 (test)",
        f"{A}open": "OtherBot/1.0 (test)",
        f"{B}robots.txt": None,
    }


def test_a_name_that_changes_has_the_robots_file_read_again(crawls: Crawls, rules: RuleFile) -> None:
    text = robots_txt("User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nAllow: /")
    rename = rules.at(30, lambda: rules.site("a.example", user_agent="OtherBot/1.0"))
    done = crawls({**MANY, f"{A}robots.txt": text}, A, rules=rules.path, on_start=rename, **FAST)
    assert len(crawls.web.when(f"{A}robots.txt")) == 2
    assert len(reasons(done)["robots"]) > 150


def test_no_more_pages_come_than_a_rule_lets(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", max_pages=7)
    done = crawls(MANY, A, B, rules=rules.path, **FAST)
    assert len([row for row in done.pages() if row["url"].startswith(A)]) == 7
    assert len(reasons(done)["rule-pages"]) == 201 - 7
    assert done.report["fetched"] == 7 + 21


def test_no_more_bytes_come_than_a_rule_lets_but_for_one_page(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("b.example", max_bytes=10_000)
    large = {f"{B}{number}": Answer(b"x" * 1500) for number in range(20)}
    done = crawls({**MANY, **large}, B, rules=rules.path, **FAST)
    received = sum(row["bytes"] for row in done.pages())
    assert 10_000 <= received < 11_500
    assert set(reasons(done)) == {"rule-bytes"}


def test_a_limit_counts_from_when_it_was_given_and_over_all_runs(
    crawls: Crawls, rules: RuleFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    class TimeOfTheWeb(datetime):
        """The record tells the time of the web that is crawled."""

        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return datetime.fromtimestamp(EPOCH_1970 + crawls.web.now(), tz)

    monkeypatch.setattr(sessions.rule_records, "datetime", TimeOfTheWeb)
    limit = rules.at(30, lambda: rules.site("a.example", max_pages=50))
    done = crawls(MANY, A, rules=rules.path, on_start=limit, max_pages=60, **FAST)
    assert len(done.pages()) == 60
    done = crawls.resume(MANY, "--max-pages", "1000")
    limit_came = datetime.fromisoformat(rule_records(crawls.out)[1]["at"])
    first_run = done.session.runs[0].run
    before = sum(1 for row in done.pages() if row["run"] == first_run and row["fetched"] < limit_came)
    assert 28 <= before < 45
    assert len(done.pages()) == before + 50
    assert set(reasons(done)) == {"rule-pages"}


# the file


def test_rules_are_recorded_with_the_time_since_when_they_hold(crawls: Crawls, rules: RuleFile) -> None:
    rules.site("a.example", block=True, note="asked for it")
    add = rules.at(5, lambda: rules.write('[[rule]]\ndelay = 0.2\ndomain = "a.example"\n' + rules.path.read_text()))
    done = crawls(MANY, A, B, rules=rules.path, on_start=add, **FAST)
    first, second = rule_records(done.session.path)
    assert (first["number"], second["number"]) == (1, 2)
    assert (first["superstep"], first["run"]) == (0, done.session.header["run"])
    assert second["superstep"] > 0
    assert first["file"] == str(rules.path)
    (blocked,) = first["rules"]
    assert blocked["values"] == {"block": True, "note": "asked for it"}
    assert blocked["since"] == {"block": first["at"], "note": first["at"]}
    (delay,) = second["rules"]
    assert delay["since"] == {"delay": second["at"]}
    assert (second["held"], second["gone"]) == (2, [])
    assert rules_held([first, second]) == {("site", "a.example"): blocked, ("domain", "a.example"): delay}


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[[rule]]\nsite = 'a.example'\nblock = 1\n", "rules.toml:3: block: 1 wants true or false"), ("[[", ":1: ")],
)
def test_a_file_that_becomes_wrong_changes_nothing_and_is_told_of_once(
    crawls: Crawls, rules: RuleFile, capfd: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    rules.site("a.example", block=True)
    done = crawls(MANY, A, B, rules=rules.path, on_start=rules.at(5, lambda: rules.write(text)), log_json=True, **FAST)
    assert reasons(done) == {"rule": {A}}
    told = capfd.readouterr().err
    assert told.count(problem) == 1
    assert told.count("the rules before it hold on") == 1
    (log,) = (done.session.path / "log").iterdir()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [event["event"] for event in events].count("rules refused") == 1
    assert len(rule_records(done.session.path)) == 1


def test_a_file_that_is_gone_changes_nothing(
    crawls: Crawls, rules: RuleFile, capfd: pytest.CaptureFixture[str]
) -> None:
    rules.site("a.example", block=True)
    done = crawls(MANY, A, B, rules=rules.path, on_start=rules.at(5, rules.path.unlink), **FAST)
    assert reasons(done) == {"rule": {A}}
    assert "rules.toml: No such file or directory" in capfd.readouterr().err


def test_a_resume_reads_the_rules_again(crawls: Crawls, rules: RuleFile) -> None:
    crawls(MANY, A, B, rules=rules.path, max_pages=20, **FAST)
    rules.site("a.example", block=True)
    done = crawls.resume(MANY, "--max-pages", "1000")
    assert crawls.web.requests(A) == []
    assert set(reasons(done)) == {"rule"}
    assert len(rule_records(done.session.path)) == 2


def test_a_resume_without_its_file_says_how_to_go_on(crawls: Crawls, rules: RuleFile) -> None:
    crawls(MANY, A, B, rules=rules.path, max_pages=5, **FAST)
    rules.path.unlink()
    with pytest.raises(UsageError, match=r"No such file or directory; --rules names another file, as /dev/"):
        crawls.resume(MANY, "--max-pages", "10")
    done = crawls.resume(MANY, "--max-pages", "10", "--rules", "/dev/null")
    assert rules_held(rule_records(done.session.path)) == {}
    assert len(done.pages()) == 10


def test_a_topic_reads_its_file_only_when_it_may_have_changed(
    rules: RuleFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from crawler.launch.rule_checks import planned_rules
    from crawler.rank import rule_changes

    planned = planned_rules(rules.path)
    assert planned is not None
    read: list[Path] = []

    def counted(path: Path) -> str:
        read.append(path)
        return text_of_rules(path)

    monkeypatch.setattr(rule_changes, "text_of_rules", counted)
    changes = RuleChanges(planned, rule_changes.first_rules(planned), tmp_path / "session", "run", lambda: 3)
    changes.begin()
    assert [changes.news() for _ in range(5)] == [None] * 5
    assert len(read) == 2
    rules.site("a.example", block=True)
    assert changes.news() is not None
    assert [changes.news() for _ in range(5)] == [None] * 5
    assert len(read) == 4
