"""`cutweb forget`: a real crawl without one of its sites, which goes on afterwards."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands.forget import forget
from crawler.monitoring.signs_of_life import Sign, begin_signs, write_sign
from crawler.process.process_tree import process_tree
from sessions.checking.check import check_session
from sessions.session import Session
from sessions.url import site_of
from sessions.writing.commit import claim
from tests.crawler.support.fake_web import Answer, Crawls, page

A, B, C = "http://a.example/", "http://www.b.example/", "http://c.example/"
SAME = Answer(b"<p>one document on three sites, and no links" * 20)
WEB = {
    A: page("/same", B, C, "/long"),
    B: page(f"{A}same", "/same", "/more"),
    C: page("/same", f"{B}more"),
    f"{A}same": SAME,
    f"{B}same": SAME,
    f"{C}same": SAME,
}
FAST = {"delay": 0.1, "server_delay": 0.0, "delay_factor": 0.0}


def forgotten(*words: str | Path) -> str:
    done = CliRunner().invoke(forget, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("site", ["a.example", "www.b.example", "c.example"])
def test_a_crawl_without_a_site_is_good_and_keeps_the_documents_of_others(
    crawls: Crawls, tmp_path: Path, site: str
) -> None:
    crawls(WEB, A, max_pages=4, **FAST)
    before = crawls.resume(WEB, "--max-pages", "100").session
    told = forgotten(before.path, "--site", site.upper(), "--out", tmp_path / "out")
    findings = check_session(tmp_path / "out")
    assert findings.is_good, findings.problems
    after = Session.open(tmp_path / "out")
    kept = {row["url"]: row for row in after.read("pages").to_pylist()}
    assert {site_of(url) for url in kept} == {"a.example", "www.b.example", "c.example"} - {site}
    same = [row for url, row in kept.items() if url.endswith("/same")]
    assert sorted(row["duplicate_of"] is None for row in same) == [False, True]
    first = next(row["url"] for row in before.read("pages").to_pylist() if row["url"].endswith("/same"))
    has_moved = site_of(first) == site
    assert ("1 body moved" in told) == has_moved
    assert [run.run for run in after.runs] == [run.run for run in before.runs]


def test_a_crawl_goes_on_without_the_site(crawls: Crawls, tmp_path: Path) -> None:
    before = crawls(WEB, A, max_pages=4, **FAST).session
    forgotten(before.path, "--domain", "b.example", "--out", tmp_path / "out")
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\ndomain = "b.example"\nblock = true\n')
    crawls.out = tmp_path / "out"
    done = crawls.resume(WEB, "--max-pages", "100", "--rules", str(rules))
    assert crawls.web.requests("b.example") == []
    assert all("b.example" not in row["url"] for row in done.pages())
    assert f"{C}same" in {row["url"] for row in done.pages()}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "say what to forget: --site SITE or --domain DOMAIN"),
        (("--site", "http://a.example/"), "--site http://a.example/: is no site: a host"),
        (("--domain", "*.a.example"), "--domain *.a.example: is no domain"),
        (("--site", "a.example"), "no such file"),
    ],
)
def test_what_cannot_be_done_is_refused(tmp_path: Path, words: tuple[str, ...], problem: str) -> None:
    done = CliRunner().invoke(forget, [str(tmp_path / "none"), *words, "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    assert problem in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_the_session_does_not_know_is_told_of(crawls: Crawls, tmp_path: Path) -> None:
    crawls(WEB, A, B, C, **FAST)
    words = [str(crawls.out), "--site", "a.example", "--site", "w.b.example", "--domain", "b.example"]
    done = CliRunner().invoke(forget, [*words, "--out", str(tmp_path / "without")])
    assert done.exit_code == 0, done.output
    assert done.stderr == f"cutweb forget: {crawls.out} has no URL of w.b.example; is it spelled so there?\n"


def test_nothing_is_forgotten_of_what_is_being_crawled(tmp_path: Path) -> None:
    session = tmp_path / "session"
    claim(session, run="run", ranks=1, assignment="page-hash", configuration={})
    begin_signs(session, "run")
    (this,) = process_tree(os.getpid())[:1]
    write_sign(session, "run", 0, Sign(os.uname().nodename, process=this))
    done = CliRunner().invoke(forget, [str(session), "--site", "a.example", "--out", str(tmp_path / "without")])
    assert done.exit_code == 2
    assert "is crawling it, on" in done.stderr
    assert "forget sites when no crawl runs on it" in done.stderr
    assert not (tmp_path / "without").exists()
