"""`cutweb forget`: a real crawl without one of its sites, which goes on afterwards."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from crawler.commands.forget import forget
from sessions.checking.check import check_session
from sessions.session import Session
from sessions.url import site_of
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
