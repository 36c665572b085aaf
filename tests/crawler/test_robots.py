"""What robots.txt allows."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler import robots as module
from crawler.robots import ROBOTS_BYTES, Robots, Rules
from sessions.url import origin_of

ORIGIN = "http://a.example"
PRIVATE = ORIGIN + "/private/x"
FORBID_PRIVATE = b"User-agent: *\nDisallow: /private/\n"


def learned(status: int, body: bytes = FORBID_PRIVATE, agent: str = "cutweb") -> Rules:
    return Robots(agent).learn(ORIGIN, status, body)


@pytest.mark.parametrize("status", [200, 203, 299])
def test_a_robots_txt_is_obeyed(status: int) -> None:
    rules = learned(status)
    assert not rules.allow(PRIVATE)
    assert rules.allow(ORIGIN + "/")


@pytest.mark.parametrize("status", [301, 304, 400, 401, 403, 404, 410, 429, 499])
def test_where_there_is_none_all_is_allowed(status: int) -> None:
    """RFC 9309, 2.3.1.3; a redirect comes here when it led nowhere."""
    assert learned(status).allow(PRIVATE)


@pytest.mark.parametrize("status", [500, 503, 599])
def test_where_the_server_fails_nothing_is_allowed_and_the_status_is_the_reason(status: int) -> None:
    """RFC 9309, 2.3.1.4."""
    rules = learned(status)
    assert not rules.allow(ORIGIN + "/")
    assert rules.unreachable == f"robots-{status}"
    assert rules.status == status


def test_where_no_answer_comes_nothing_is_allowed_and_the_error_is_the_reason() -> None:
    rules = Robots("cutweb").learn_unreachable(ORIGIN, "timeout")
    assert not rules.allow(ORIGIN + "/")
    assert (rules.unreachable, rules.status) == ("timeout", 0)


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("User-agent: cutweb\nDisallow: /", False),
        ("User-agent: CutWeb\nDisallow: /", False),
        ("user-AGENT:cutweb\ndisallow:/", False),
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: cutweb\nDisallow:", True),
        ("User-agent: cutweb\nDisallow:\n\nUser-agent: *\nDisallow: /", True),
        ("User-agent: other\nUser-agent: cutweb\nDisallow: /", False),
        ("User-agent: *\nDisallow: /private\nAllow: /private/x", True),
        ("User-agent: *\nAllow: /\nDisallow: /*/x$", False),
        ("\ufeffUser-agent: *\nDisallow: /", False),
        ("", True),
        ("<html>not a robots.txt</html>", True),
    ],
)
def test_the_rules_for_our_name_count(text: str, is_allowed: bool) -> None:
    assert learned(200, text.encode()).allow(PRIVATE) == is_allowed


def test_the_crawl_delay_is_ours_or_everybodys() -> None:
    both = b"User-agent: *\nCrawl-delay: 7\nDisallow:\n\nUser-agent: cutweb\nCrawl-delay: 2.5\nDisallow:\n"
    assert learned(200, both).crawl_delay == 2.5
    assert learned(200, both, "other").crawl_delay == 7.0
    assert learned(200).crawl_delay == 0.0
    assert learned(404).crawl_delay == 0.0
    assert learned(503).crawl_delay == 0.0


@pytest.mark.parametrize("delay", ["-5", "nan", "inf", "1e999", "soon", ""])
def test_a_crawl_delay_that_is_no_time_is_none(delay: str) -> None:
    assert learned(200, f"User-agent: *\nCrawl-delay: {delay}\n".encode()).crawl_delay == 0.0


def test_only_the_first_500_kib_are_read() -> None:
    padding = b"#" * (ROBOTS_BYTES - len(FORBID_PRIVATE) - 1) + b"\n"
    assert not learned(200, padding + FORBID_PRIVATE).allow(PRIVATE)
    assert learned(200, padding + b"\n" * 30 + FORBID_PRIVATE).allow(PRIVATE)
    assert ROBOTS_BYTES == 500 * 1024


def test_rules_are_remembered_by_origin() -> None:
    robots = Robots("cutweb")
    assert robots.rules_for(ORIGIN) is None
    rules = robots.learn(ORIGIN, 200, FORBID_PRIVATE)
    assert robots.rules_for(ORIGIN) is rules
    assert robots.rules_for("https://a.example") is None
    assert robots.rules_for("http://a.example:8080") is None


def test_the_origins_not_asked_for_longest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SITES_REMEMBERED", 3)
    robots = Robots("cutweb")
    for number in range(3):
        robots.learn(f"http://{number}.example", 200, FORBID_PRIVATE)
    assert robots.rules_for("http://0.example")
    robots.learn("http://3.example", 404, b"")
    known = [number for number in range(4) if robots.rules_for(f"http://{number}.example")]
    assert known == [0, 2, 3]


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://a.example/", "http://a.example"),
        ("https://a.example:8443/x/y?http://b/", "https://a.example:8443"),
        ("http://[::1]:80/", "http://[::1]:80"),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str) -> None:
    assert origin_of(url) == origin


LINES = st.builds(
    "{}: {}".format,
    st.sampled_from(
        ["User-agent", "Disallow", "Allow", "Crawl-delay", "Request-rate", "Visit-time", "Sitemap", "Host"]
    ),
    st.one_of(st.text(max_size=10), st.sampled_from(["*", "/", "//[", "http://[", "1/0", "%zz", "9" * 400, "/*" * 9])),
)


@given(st.lists(LINES, max_size=12).map("\n".join))
@example("User-agent: *\nCrawl-delay: 1e300")
def test_no_robots_txt_does_harm(text: str) -> None:
    rules = learned(200, text.encode("utf-8", "surrogatepass"))
    assert rules.allow(PRIVATE) in (True, False)
    assert rules.crawl_delay >= 0.0


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(body: bytes) -> None:
    rules = learned(200, b"User-agent: *\n" + body)
    assert rules.allow(PRIVATE) in (True, False)
    assert rules.crawl_delay >= 0.0


def test_wildcards_take_no_endless_time() -> None:
    rules = learned(200, b"User-agent: *\nDisallow: /" + b"*a" * 40 + b"*b$\n")
    assert rules.allow(ORIGIN + "/" + "a" * 2000)
