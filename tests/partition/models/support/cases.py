"""Webs whose URLs are nasty to divide, without links."""

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.partition.quality.support.webs import SmallWeb

NASTY = [
    "http://a.example/",
    "https://a.example/",
    "https://user:word@a.example/",
    "http://a.example:8080/",
    "http://a.example/?",
    "http://a.example/?q",
    "http://a.example/?q&&r",
    "http://a.example/?q&&r&",
    "http://a.example//",
    "http://a.example///x",
    "http://a.example/x",
    "https://a.example/x",
    "https://u@a.example/x",
    "http://a.example/x/",
    "http://a.example/xy",
    "http://a.example/xy?/&?",
    "http://a.example/x?y=http://b.example/",
    "http://a.example/%C3%A4/%20",
    "http://a.example/%C3%A4/%21",
    "http://a.example/%C3%A4%C3",
    "http://a.example/@/",
    "http://a.example/@/user@b.example/",
    "http://a.example-b/x",
    "http://a.example.b/x",
    "http://xn--4ca.example/",
    "http://[::1]/",
    "http://[::1]:81/x",
    "http://192.0.2.1/",
    "http://b.example/" + "d/" * 40,
    "http://b.example/" + "d/" * 41 + "e",
    "http://b.example/" + "d" * 200,
    "http://b.example/" + "d" * 201,
    "http://b.example/" + "d" * 199 + "?",
]


def web_of(sizes: dict[str, int], links: Sequence[tuple[str, str]] = ()) -> SmallWeb:
    return SmallWeb(sizes, (), tuple(links))


PATHS = st.text(alphabet="aab/?&%@=.", max_size=8)
HOSTS = st.sampled_from(["a.example", "a.example:81", "u:p@a.example", "b.a.example", "c"])
MADE = st.builds(
    lambda scheme, host, path: f"{scheme}://{host}/{path}", st.sampled_from(["http", "https"]), HOSTS, PATHS
)
SIZES = st.sampled_from([0, 0, 1, 10, 1000])
WEBS = st.dictionaries(st.sampled_from(NASTY) | MADE, SIZES, min_size=1, max_size=20).map(web_of)
