"""robots.txt: any bytes as a file, and what it allows."""

from hypothesis import strategies as st

from crawler.politeness.robots.parser import MOST_RULE_OCTETS
from crawler.politeness.robots.rules import LONGEST_USE, SHORTEST_USE, Rules, outcome
from sessions.url import canonical
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import robots_files
from tests.fuzz.target import Target, alone

Robots = tuple[int, bytes, str, bool, int, str, str]
"""Status, body, the error that kept it from being whole, whether it is cut, tries, Cache-Control and a path."""

MAX_DELAY = 60.0
AGENT = "foobot"
TOKENS = [
    *(b"User-agent: *\n", b"User-agent: foobot\n", b"user-agent:foobot/1.0", b"Disallow: /", b"Allow: /", b"Disallow:"),
    *(b"Disallow: /*a", b"Allow: /*a*b$\n", b"*", b"*a", b"$", b"$\n", b"Crawl-delay: ", b"Crawl-delay: 1e9\n", b"9.9"),
    *(b"Sitemap: http://a.example/s.xml\n", b"Sitemap: //x", b"#", b":", b" ", b"\t", b"\r", b"\n", b"\r\n", b"\0"),
    *(
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"%",
        b"%2F",
        b"%3f",
        b"%C3%BC",
        b"\xc3\xbc",
        b"\xfc",
        b"?",
        b"/",
        b"=",
    ),
    *(b"<html>", b"Disallow /x\n", b"disalow: /y\n", b"\x85", b"\xe2\x80\xa8", b"\x0b", b"\x1c", b"Disallow: /a?b*c\n"),
]
PATHS = [
    "/",
    "/robots.txt",
    "/a",
    "/aab",
    "/x/index.html",
    "/a?b=c",
    "/%2F/%3F",
    "/\u00fc",
    "/" + "a" * 2000,
    "/a/" * 300,
]
LINES = st.builds(
    lambda field, value, end: field + value + end,
    st.sampled_from([b"User-agent: ", b"Disallow: ", b"Allow: ", b"Crawl-delay:", b"Sitemap: ", b"Disallow ", b"x: "]),
    st.one_of(
        st.sampled_from(
            [b"*", b"foobot", b"/", b"", b"10", b"/*?*=", b"/a*b*c*d*e*f*g*$", b"http://a.example/" + b"s" * 99]
        ),
        st.text("/*$a%2f?=.", max_size=30).map(str.encode),
        st.binary(max_size=12),
    ),
    st.sampled_from([b"\n", b"\r\n", b"\r", b" # x\n", b""]),
)


def check(robots: Robots) -> str:
    """There is an answer, it keeps the bounds, and the file itself may always be fetched."""
    status, body, error, is_cut, tries, cache_control, path = robots
    headers = {b"cache-control": cache_control}
    rules = outcome(
        AGENT,
        status=status,
        body=body,
        error=error,
        headers=headers,
        is_cut=is_cut,
        max_crawl_delay=MAX_DELAY,
        tries=tries,
    )
    assert 0 <= rules.crawl_delay <= MAX_DELAY
    assert min(60.0, SHORTEST_USE) <= rules.seconds <= LONGEST_USE
    assert all(canonical(sitemap) == sitemap for sitemap in rules.sitemaps)
    assert len(rules.packed) <= 2 * MOST_RULE_OCTETS
    assert rules.allow("http://a.example/robots.txt")
    verdicts = {_allows(rules, path)} | {_allows(rules, usual) for usual in PATHS}
    if not rules.packed:
        assert len(verdicts - {None}) <= 1 or rules.unreachable
    return rules.unreachable or ("rules" if rules.packed else "no rules")


def _allows(rules: Rules, path: str) -> bool | None:
    url = canonical("http://a.example" + path)
    if url is None or url.endswith("/robots.txt"):
        return None
    allowed = rules.allow(url)
    assert allowed in (True, False)
    assert not (allowed and rules.unreachable)
    return allowed


def _inputs() -> st.SearchStrategy[Robots]:
    return st.tuples(
        st.sampled_from([200] * 12 + [204, 0, 301, 404, 429, 503, 999]),
        st.one_of(mutated(robots_files(), TOKENS), st.lists(LINES, max_size=20).map(b"".join)),
        st.sampled_from([""] * 9 + ["timeout"]),
        st.booleans(),
        st.integers(0, 1 << 40),
        st.sampled_from(["", "max-age=0", "max-age=9999999999", "no-store", "max-age=x"]),
        st.text("/*$a%2Ff?=.\u00fc&", max_size=40).map(lambda text: "/" + text),
    )


TARGET = Target("robots", st.deferred(_inputs), alone(check), share=0.16)
