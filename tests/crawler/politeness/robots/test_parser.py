"""What a robots.txt says to one crawler; what its rules then allow is in data/robots.tsv (test_robots.py)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.robots.parser import MOST_RULE_OCTETS, MOST_RULES, ROBOTS_BYTES, Group, group_for

RULE = b"User-agent: *\nDisallow: /x\n"


def delay(*lines: str) -> float:
    return group_for("cutweb", "\n".join(lines).encode()).delay


def sitemaps(*lines: str) -> list[str]:
    return list(group_for("cutweb", "\n".join(lines).encode()).sitemaps)


def patterns(body: bytes, *, is_cut: bool = False) -> list[str]:
    return [pattern for pattern, _ in group_for("cutweb", body, is_cut=is_cut).rules]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("5", 5.0),
        ("2.5", 2.5),
        (".5", 0.5),
        ("3.", 3.0),
        ("0", 0.0),
        ("010", 10.0),
        ("10 # seconds", 10.0),
        ("999999999", 999999999.0),
        ("-5", 0.0),
        ("nan", 0.0),
        ("inf", 0.0),
        ("1e3", 0.0),
        ("1_000", 0.0),
        ("9" * 400, 0.0),
        ("soon", 0.0),
        ("10s", 0.0),
        ("", 0.0),
    ],
)
def test_a_crawl_delay_is_a_number_of_seconds(text: str, seconds: float) -> None:
    assert delay("User-agent: *", f"Crawl-delay: {text}") == seconds


@pytest.mark.parametrize("name", ["Crawl-delay", "crawl-DELAY ", "crawldelay", "Crawl delay", "crawl_delay"])
def test_the_field_has_several_spellings(name: str) -> None:
    assert delay("User-agent: *", f"{name}: 7") == 7.0


def test_the_crawl_delay_is_ours_or_everybodys() -> None:
    everybodys = ["User-agent: *", "Crawl-delay: 7", "Disallow:"]
    assert delay(*everybodys) == 7.0
    assert delay(*everybodys, "User-agent: cutweb", "Crawl-delay: 2.5", "Disallow:") == 2.5
    assert delay("User-agent: cutweb", "Crawl-delay: 2.5", "Disallow:", *everybodys) == 2.5
    assert delay(*everybodys, "User-agent: cutweb", "Disallow:") == 0.0
    assert delay("User-agent: other", "Crawl-delay: 7") == 0.0
    assert delay("Crawl-delay: 7", "User-agent: *") == 0.0


def test_of_several_crawl_delays_the_longest_counts() -> None:
    assert delay("User-agent: *", "Crawl-delay: 2", "Crawl-delay: 9", "Crawl-delay: 3") == 9.0


def test_a_crawl_delay_is_for_those_named_so_far() -> None:
    lines = ["User-agent: other", "Crawl-delay: 9", "User-agent: *", "Disallow: /x"]
    assert delay(*lines) == 0.0
    assert delay(*lines[2:3], *lines[1:2], *lines[:1], *lines[3:]) == 9.0


def test_sitemaps_belong_to_no_group() -> None:
    assert sitemaps(
        "Sitemap: http://a.example/1.xml",
        "User-agent: other",
        "SITEMAP : http://a.example/2.xml  # comment",
        "Disallow: /",
        "sitemaps: HTTPS://B.example:443/3.xml#x",
        "site-map: http://a.example/1.xml",
        "Sitemap http://a.example/4.xml",
        "Sitemap: /relative.xml",
        "Sitemap: ftp://a.example/5.xml",
        "Sitemap: http://[",
        "Sitemap:",
    ) == ["http://a.example/1.xml", "http://a.example/2.xml", "https://b.example/3.xml", "http://a.example/4.xml"]


def test_only_the_first_500_kib_are_read() -> None:
    assert ROBOTS_BYTES == 500 * 1024
    fits = b"#" * (ROBOTS_BYTES - len(RULE) - 1) + b"\n" + RULE
    assert len(fits) == ROBOTS_BYTES
    assert patterns(fits) == ["/x"]
    assert patterns(fits + b"Disallow: /y\n") == ["/x"]
    assert patterns(b"#" + fits) == []


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_rule_that_was_cut_in_half_does_not_count(end: bytes) -> None:
    body = (RULE + b"Allow: /x/allow").replace(b"\n", end)
    assert patterns(body) == ["/x", "/x/allow"]
    assert patterns(body, is_cut=True) == ["/x"]
    assert patterns(b"User-agent: *", is_cut=True) == []


def test_of_a_file_for_many_only_what_is_said_to_us_is_kept() -> None:
    others = b"".join(b"User-agent: bot%d\nDisallow: /%d\n" % (number, number) for number in range(10_000))
    assert group_for("cutweb", others + RULE).rules == {("/x", False): None}


def test_a_rule_that_is_said_twice_is_kept_once() -> None:
    body = b"User-agent: cutweb\nDisallow: /x\nUser-agent: *\nDisallow: /y\n" * 3 + b"Disallow: /%79\n"
    assert patterns(body) == ["/x"]


def test_what_is_longer_than_any_url_is_no_rule() -> None:
    assert patterns(b"User-agent: *\nDisallow: /" + b"x" * 40_000 + b"\nDisallow: /y\n") == ["/y"]


def test_however_long_a_rule_is_that_matches_a_url_it_counts() -> None:
    assert patterns(b"User-agent: *\nDisallow: /" + b"*" * 40_000 + b"\n") == ["/*"]
    assert patterns(b"User-agent: *\nDisallow: /" + b"*%61" * 8000 + b"\n") == ["/" + "*a" * 8000]


MANY = b"".join(b"Allow: /%d\n" % number for number in range(MOST_RULES))
LONG = b"".join(b"Allow: /%03d%s\n" % (number, b"x" * 8188) for number in range(MOST_RULE_OCTETS >> 13))
STARS = b"".join(b"Allow: /%d%s\n" % (number, b"*a" * 12) for number in range(MOST_RULES * 3 // 4))


@pytest.mark.parametrize("rules", [MANY, MANY + MANY, LONG])
def test_so_many_rules_are_kept(rules: bytes) -> None:
    group = group_for("cutweb", b"User-agent: *\n" + rules)
    assert len(group.rules) == len(set(rules.splitlines()))
    assert not group.is_beyond_bounds


@pytest.mark.parametrize("rules", [MANY + b"Allow: /x\n", b"Disallow: /x\n" + MANY, LONG + b"Allow: /\n", STARS])
def test_more_rules_than_can_be_judged_in_time_forbid_everything(rules: bytes) -> None:
    group = group_for("cutweb", b"User-agent: *\n" + rules + b"Crawl-delay: 5\nSitemap: http://a.example/\n" + MANY)
    assert group.is_beyond_bounds
    assert list(group.rules) == [("/", False)]
    assert (group.delay, list(group.sitemaps)) == (5.0, ["http://a.example/"])


def test_too_many_rules_for_others_are_nothing_to_us() -> None:
    body = b"User-agent: *\n" + MANY + b"Disallow: /x\nUser-agent: cutweb\nDisallow: /y\n"
    assert list(group_for("cutweb", body).rules) == [("/y", False)]
    assert list(group_for("other", body).rules) == [("/", False)]


EVIL = {
    "many names": b"".join(b"User-agent: %d\n" % number for number in range(40_000)) + b"Disallow: /\n" * 9000,
    "our name": b"User-agent: cutweb\n" * 30_000,
    "names and rules": b"User-agent: *\nDisallow: /\n" * 20_000,
    "wildcards": b"User-agent: *\n" + b"".join(b"Disallow: /*a%d\n" % number for number in range(30_000)),
    "one rule": b"User-agent: *\nDisallow: /" + b"*a" * 250_000,
    "stars": b"User-agent: *\nDisallow: /" + b"*" * 500_000,
    "blanks": b" " * 512_000,
    "blanks within": (b"Disallow" + b" " * 5000) * 100,
    "line ends": b"\r\n" * 250_000,
    "octets": (b"User-agent: *\nDisallow: /" + b"\xff" * 20_000 + b"\n") * 25,
    "escapes": (b"User-agent: *\nDisallow: /" + b"%62" * 8000 + b"\n") * 20,
    "sitemaps": b"Sitemap: http://a.example/\n" * 18_000,
    "half fields": b"user" * 125_000,
}


@pytest.mark.parametrize("body", EVIL.values(), ids=EVIL.keys())
def test_of_no_file_more_is_kept_than_can_be_judged(body: bytes) -> None:
    rules = group_for("cutweb", body).rules
    assert len(rules) <= MOST_RULES
    assert sum(len(pattern) for pattern, _ in rules) <= MOST_RULE_OCTETS


FIELDS = st.sampled_from(["User-agent", "Disallow", "Allow", "Crawl-delay", "Sitemap", "Host", "x", "\ufeff"])
VALUES = st.text(max_size=10) | st.sampled_from(["*", "/", "cutweb", "//[", "http://[", "%zz", "9" * 400, "/*" * 9])
LINES = st.builds("{}{}{}".format, FIELDS, st.sampled_from([":", " ", " : "]), VALUES)
ENDS = st.sampled_from(["\n", "\r", "\r\n", "\0"])


@settings(deadline=None, derandomize=True)
@given(st.lists(st.builds("{}{}".format, LINES, ENDS), max_size=12).map("".join), st.sampled_from(["utf-8", "utf-16"]))
def test_no_text_does_harm(text: str, encoding: str) -> None:
    group = group_for("cutweb", text.encode(encoding, "surrogatepass"))
    assert isinstance(group, Group)
    assert 0.0 <= group.delay <= 999_999_999.0
    assert all(pattern.isascii() and "\n" not in pattern for pattern, _ in group.rules)


@settings(deadline=None, derandomize=True)
@given(st.binary(max_size=200), st.booleans())
def test_no_bytes_do_harm(body: bytes, is_cut: bool) -> None:
    assert all(pattern for pattern, _ in group_for("cutweb", b"User-agent: *\n" + body, is_cut=is_cut).rules)
