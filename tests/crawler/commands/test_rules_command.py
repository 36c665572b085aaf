"""`cutweb rules`: what is said of a file of rules, of what it would hit, and of those that a session had."""

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands.rules import rules
from crawler.site_rules.rule_book import RuleBook
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rule_hits import hits_of
from scripts.rule_table import MARK, as_table
from sessions.url import site_of
from tests.crawler.support.fake_web import Crawled, Crawls, page

A, B = "http://a.example/", "http://www.b.example/"
WEB = {
    A: page("/1", "/2", "/deep/3", B),
    f"{A}1": page("/4"),
    B: page("/5", "/6", "http://c.example/"),
    "http://c.example/": page(),
}
PLACES = {"a.example": ["198.51.100.1"], "www.b.example": ["198.51.100.2"], "c.example": ["203.0.113.1"]}
TEXT = """
[[rule]]
site = "a.example"
block = true
note = "asked"

[[rule]]
prefix = "http://a.example/deep"
block = false

[[rule]]
domain = "b.example"
delay = 3

[[rule]]
address = "198.51.100.0/24"
max-pages = 10

[[rule]]
site = "nowhere.example"
pause = true
"""


@pytest.fixture
def crawled(crawls: Crawls) -> Crawled:
    return crawls(WEB, A, addresses=PLACES, max_pages=5, delay=0.1, server_delay=0.0, delay_factor=0.0)


def test_what_each_rule_would_hit_is_counted(crawled: Crawled) -> None:
    found = rules_in(TEXT, "rules.toml")
    counted = {str(hit.rule.target): hit for hit in hits_of(crawled.session, found)}
    pages = {row["url"]: row for row in crawled.pages()}
    urls = crawled.session.read("urls")["url"].to_pylist()
    book = RuleBook(found)
    for rule in found:
        meant = [
            url
            for url in urls
            if rule in book.of(site_of(url), PLACES[site_of(url)][0]).at(url).rules.values()
            and (rule.target.kind != "address" or any(site_of(page) == site_of(url) for page in pages))
        ]
        hit = counted[str(rule.target)]
        assert hit.urls == len(meant)
        assert hit.sites == len(Counter(map(site_of, meant)))
        assert hit.pages == len(pages.keys() & set(meant))
        assert hit.queued == len(crawled.frontier().keys() & set(meant))
        assert hit.bytes == sum(pages[url]["bytes"] for url in meant if url in pages)
    assert counted["prefix http://a.example/deep"].urls == 1
    assert counted["site nowhere.example"].urls == 0
    assert counted["address 198.51.100.0/24"].urls > 5


def test_check_tells_of_the_file_and_of_what_it_hits(crawled: Crawled, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(TEXT)
    plain = CliRunner().invoke(rules, ["check", str(file)])
    assert plain.exit_code == 0
    assert "rules.toml: 5 rules" in plain.output
    told = CliRunner().invoke(rules, ["check", str(file), str(crawled.session.path)])
    assert told.exit_code == 0
    assert "5 rules, 1 of which hit nothing in" in told.output
    (line,) = [line for line in told.output.splitlines() if "nowhere.example" in line]
    assert line.split() == ["19", "site", "nowhere.example", "pause", "=", "true", "0", "0", "0", "0", "0", "B"]
    as_json = CliRunner().invoke(rules, ["check", str(file), str(crawled.session.path), "--json"])
    said = json.loads(as_json.output)
    assert said["rules"][0] == {"line": 2, "site": "a.example", "block": True, "note": "asked"}
    assert len(said["hits"]) == 5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "[[rule]]\nsite = 'a'\nblok = true",
            "cutweb rules check: {file}:3: unknown key 'blok'; did you mean 'block'?",
        ),
        ("[[rule]]\nsite = 'a'\n[[rule]]\nblock = 1", "cutweb rules check: {file}:3: a rule has one of prefix, site, "),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    done = CliRunner().invoke(rules, ["check", str(file)], prog_name="cutweb rules")
    assert done.exit_code == 2
    assert problem.format(file=file) in done.stderr


def test_what_is_no_session_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(TEXT)
    for words in (["check", str(tmp_path / "rules.toml"), str(tmp_path)], ["history", str(tmp_path)]):
        assert CliRunner().invoke(rules, words).exit_code == 2


def test_history_tells_who_was_blocked_since_when_and_by_what_file(crawls: Crawls, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(TEXT)
    done = crawls(WEB, A, rules=file, addresses=PLACES)
    told = CliRunner().invoke(rules, ["history", str(done.session.path)])
    assert told.exit_code == 0
    first, *lines = told.output.splitlines()
    assert first.endswith(f"5 rules from superstep 0 of run {done.session.header['run']}, {file}")
    assert any(line.endswith("site a.example  block = true") and "since 20" in line for line in lines)
    plain = crawls(WEB, A)
    assert "crawled without rules" in CliRunner().invoke(rules, ["history", str(plain.session.path)]).output


def test_the_table_of_keys_is_as_declared() -> None:
    text = (Path(__file__).parents[3] / "docs" / "rules.md").read_text()
    assert f"<!-- {MARK} -->\n{as_table()}<!-- /{MARK} -->" in text
