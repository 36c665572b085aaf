"""URLs: any text as a URL or a link; what comes of it is canonical, and every rule has an answer."""

from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery import spider_traps
from crawler.discovery.admission import REASONS, AdmissionSettings, UrlRules
from crawler.network.address_guard import literal
from crawler.network.connect_to import ConnectRule, target_of
from crawler.politeness.page_caps import prefix_of
from crawler.politeness.robots.path_pattern import canonical_path, canonical_pattern
from sessions.url import LONGEST_URL, canonical, domain_of, host_of, join, origin_of, site_of, url_hash, url_hashes
from tests.fuzz.mutations import mutated
from tests.fuzz.seeds import urls
from tests.fuzz.target import Target, alone

Spelling = tuple[str, str]
"""A base and the text of a link."""

BASES = ["http://a.example/dir/page?x=1", "https://[2001:db8::1]:8443/", "http://a.example/" + "d/" * 3000, "nonsense"]
TOKENS = [
    *(
        b"http://",
        b"https:",
        b"HTTP:\\\\",
        b"//",
        b"///",
        b"/",
        b"\\",
        b"?",
        b"#",
        b"@",
        b":",
        b"::",
        b"[",
        b"]",
        b"[::1]",
    ),
    *(
        b"user:pw@",
        b"a@b@",
        b"%40",
        b"%2f",
        b"%2e",
        b"%00",
        b"%",
        b"%u",
        b"%ff",
        b"..",
        b"/./",
        b"/%2e%2e/",
        b"\t",
        b"\n",
    ),
    *(
        b" ",
        b"\0",
        b"\x7f",
        b"\xc2\xa0",
        b"\xc3\x9f",
        b"\xe2\x80\x8d",
        b"\xe3\x80\x82",
        b"\xef\xbc\x8e",
        b"{surrogate}",
    ),
    *(b"xn--", b"xn--a", b".", b"..", b"127.1", b"0x7f.1", b"017700000001", b"2130706433", b"4294967296", b"localhost"),
    *(
        b":80",
        b":443",
        b":0",
        b":65536",
        b":99999999999",
        b"a" * 64,
        b"d/" * 40,
        b"&a=1",
        b"&a[]=",
        b";jsessionid=1",
        b"+",
    ),
    *(
        b"year=9999",
        b"/2099/01/01/",
        b"01.01.1900",
        b"%2525",
        b"s=" + b"0" * 32,
        b"(S(x))/",
        b"|",
        b"^",
        b"{}",
        b"'",
        b'"',
    ),
]
ADMISSION = UrlRules(
    settings_from(CrawlOptions(traps=True, skip_extensions="jpg,png", max_url_length=4096), AdmissionSettings), (), 2026
)
RULES = [ConnectRule.parse("b.example:80:127.0.0.1:8080"), ConnectRule.parse(":443:[::1]:")]


def check(spelling: Spelling) -> str:
    """What is a URL has one spelling, which names one site, on one server."""
    base, text = spelling
    alone_form = canonical(text)
    (joined,) = join(base, [text])
    both = join(base, [text, "x"])
    assert both[0] == joined
    canonical_pattern(text.encode("utf-8", "replace").decode())
    forms = [form for form in (alone_form, joined) if form is not None]
    for form in forms:
        _is_canonical(form)
        _is_somewhere(form)
        _has_answers(form)
    assert url_hashes(forms).tolist() == [url_hash(form) for form in forms]
    return {0: "no URL", 1: "a link", 2: "a URL"}[len(forms)] if alone_form is None or joined else "a URL"


def _is_canonical(form: str) -> None:
    assert form.isascii()
    assert form.isprintable()
    assert " " not in form
    assert "#" not in form
    assert len(form) <= LONGEST_URL
    assert form.startswith(("http://", "https://"))
    assert canonical(form) == form
    assert join("http://other.example/", [form]) == [form]


def _is_somewhere(form: str) -> None:
    site, origin = site_of(form), origin_of(form)
    host = host_of(site)
    assert host
    assert "@" not in site
    assert form.startswith(origin + "/")
    assert origin.partition("://")[2] == site
    assert origin_of(form) == origin_of(origin + "/")
    assert host.rstrip(".").endswith(domain_of(site).rstrip("."))
    target = target_of(origin, RULES)
    assert target.host
    assert 0 <= target.port <= 65535
    if host.startswith("["):
        assert literal(host) is not None


def _has_answers(form: str) -> None:
    (code,) = ADMISSION.codes(url_hashes([form]), [form])
    assert code < len(REASONS)
    location, _, query = form.partition("?")
    path = "/" + location.split("/", 3)[3]
    for trap in (
        spider_traps.repeated_segments(3),
        spider_traps.calendar(2026),
        spider_traps.session_id,
        spider_traps.growing_query,
    ):
        assert trap(path, query) in (True, False)
    assert prefix_of(form, 2).startswith(site_of(form) + "/")
    compared = canonical_path(form)
    assert compared.startswith("/")
    assert compared.isascii()


def _text(url: bytes) -> str:
    return url.decode("utf-8", "replace").replace("{surrogate}", "\ud800")


SPELLINGS = st.one_of(
    mutated([url.encode("utf-8", "replace") for url in urls()], TOKENS, longest=1 << 14).map(_text),
    st.builds(
        lambda scheme, user, host, port, rest: f"{scheme}{user}{host}{port}{rest}",
        st.sampled_from(["http://", "https://", "HTTP:/", "https:\\\\", "//", "ftp://", ""]),
        st.sampled_from(["", "", "u@", "u:p@", "%40@", "a@b@"]),
        st.one_of(
            st.sampled_from(
                ["a.example", "127.1", "0x7F000001", "[::ffff:127.0.0.1]", "b\u00fccher.example", "\uff11.1", ""]
            ),
            st.text(max_size=12),
        ),
        st.sampled_from(["", "", ":80", ":443", ":8080", ":65536", ":", ":00080"]),
        st.one_of(st.just("/"), st.text(max_size=30).map(lambda rest: "/" + rest), st.text(max_size=10)),
    ),
)
TARGET = Target("urls", st.tuples(st.sampled_from(BASES), SPELLINGS), alone(check), share=0.14)
