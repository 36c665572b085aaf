"""Which URLs belong to a crawl."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.discovery import scope as module
from crawler.discovery.scope import Scope, ScopeError, scope_named

SEEDS = ("http://www.a.co.uk/start", "https://b.example:8080/", "http://192.0.2.1/")


def inside(scope: Scope, *urls: str) -> list[bool]:
    return scope.contains(urls).tolist()


def test_all_has_no_edge() -> None:
    scope = scope_named("all", SEEDS)
    assert scope.is_everything
    assert inside(scope, "http://anything.example/", "https://x.example/y") == [True, True]


def test_sites_are_the_seeds_hosts_and_ports() -> None:
    scope = scope_named("sites", SEEDS)
    assert not scope.is_everything
    assert inside(scope, "http://www.a.co.uk/other?x", "https://www.a.co.uk/", "https://b.example:8080/y") == [True] * 3
    assert inside(scope, "http://a.co.uk/", "http://b.example/", "http://xwww.a.co.uk/") == [False] * 3


def test_domains_are_the_seeds_pay_level_domains() -> None:
    scope = scope_named("domains", SEEDS)
    assert (
        inside(scope, "http://a.co.uk/", "http://deep.www.a.co.uk/", "http://b.example/", "http://192.0.2.1:81/")
        == [True] * 4
    )
    assert inside(scope, "http://other.co.uk/", "http://xa.co.uk/", "http://192.0.2.2/") == [False] * 3


def test_a_file_names_sites_suffixes_and_prefixes(tmp_path: Path) -> None:
    file = tmp_path / "scope.txt"
    file.write_text(
        "# rules\nWWW.One.example   # a site\n\n.Two.example\nhttp://three.example/a/\nHTTPS://Four.example/b/../c?x\n"
    )
    scope = scope_named(str(file), ())
    assert inside(
        scope,
        "https://www.one.example/x",
        "http://two.example/",
        "http://deep.two.example:81/",
        "http://three.example/a/b",
        "https://four.example/c?x=1",
    ) == [True, True, True, True, True]
    assert (
        inside(
            scope,
            "http://one.example/",
            "http://www.one.example:8080/",
            "http://xtwo.example/",
            "http://three.example/b",
            "https://three.example/a/",
            "https://four.example/b/",
        )
        == [False] * 6
    )


def test_names_in_a_file_may_be_spelled_as_people_do(tmp_path: Path) -> None:
    file = tmp_path / "scope.txt"
    file.write_text("B\u00dccher.example\n.Stra\u00dfe.example\na.example:80\n", encoding="utf-8")
    scope = scope_named(str(file), ())
    sites = ("xn--bcher-kva.example", "www.xn--strae-oqa.example", "a.example")
    assert inside(scope, *(f"http://{site}/" for site in sites)) == [True] * 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a.example\nftp://b.example/\n", ":2: not an http(s) URL: ftp://b.example/"),
        ("\n\na.example/path\n", ":3: not a site, .domain or URL prefix: a.example/path"),
        ("two words\n", ":1: not a site, .domain or URL prefix: two words"),
        ("# nothing\n\n", ": has no rule in it"),
        ("", ": has no rule in it"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "scope.txt"
    file.write_text(text)
    with pytest.raises(ScopeError) as refusal:
        scope_named(str(file), SEEDS)
    assert str(refusal.value) == f"{file}{message}"


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"b\xfccher.example\n")
    for name in ("missing", "latin", "."):
        with pytest.raises(ScopeError, match="cannot be read") as refusal:
            scope_named(str(tmp_path / name), SEEDS)
        assert str(tmp_path / name) in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_what_is_remembered_of_sites_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SITES_REMEMBERED", 10)
    scope = Scope(sites=["s3.example"])
    for _ in range(2):
        urls = [f"http://s{number}.example/" for number in range(100)]
        assert inside(scope, *urls) == [number == 3 for number in range(100)]
        assert len(scope._known) <= 10


HOSTS = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(".".join).map("{}.example".format)
SITES = st.builds("{}{}".format, HOSTS, st.sampled_from(["", "", ":8080"]))
PREFIXES = st.builds("{}://{}/{}".format, st.sampled_from(["http", "https"]), SITES, st.sampled_from(["", "a", "a/b"]))
URLS = st.builds("{}{}".format, PREFIXES, st.sampled_from(["", "/", "b", "?a"]))


@settings(derandomize=True, deadline=None, max_examples=120)
@given(
    st.lists(SITES, max_size=2),
    st.lists(HOSTS, max_size=2),
    st.lists(PREFIXES, max_size=2),
    st.lists(URLS, max_size=20),
)
def test_rules_of_a_file_are_what_they_say(
    sites: list[str], tops: list[str], prefixes: list[str], urls: list[str]
) -> None:
    def belongs(url: str) -> bool:
        site = url.split("/")[2]
        host = site.removesuffix(":8080")
        return (
            site in sites
            or any(host == top or host.endswith("." + top) for top in tops)
            or any(url[: len(prefix)] == prefix for prefix in prefixes)
        )

    rules = [*sites, *(f".{top}" for top in tops), *prefixes]
    if not rules:
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scope.txt"
        file.write_text("\n".join(rules))
        scope = scope_named(str(file), ())
    assert not scope.is_everything
    assert inside(scope, *urls) == [belongs(url) for url in urls]
    assert inside(scope, *reversed(urls)) == [belongs(url) for url in reversed(urls)]


def test_seeds_are_inside_whatever_the_file_says(tmp_path: Path) -> None:
    (tmp_path / "scope.txt").write_text("only.example\n")
    scope = scope_named(str(tmp_path / "scope.txt"), ["http://seed.example/start"])
    assert inside(scope, "http://seed.example/start", "http://only.example/x") == [True, True]
    assert inside(scope, "http://seed.example/", "http://seed.example/start2") == [False, False]
