"""Marks of URLs that are made up without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.discovery.spider_traps import Marks, calendar, growing_query, repeated_segments, session_id

YEAR = 2026
IN_CALENDAR = calendar(YEAR)

SEGMENTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8)
NAMES = st.lists(st.sampled_from(["a", "b", "c[]", "d"]), max_size=10)


@given(SEGMENTS, st.integers(1, 4))
def test_segments_that_stand_too_often(segments: list[str], most: int) -> None:
    path = "/" + "/".join(segments)
    expected = any(segments.count(segment) > most for segment in segments if segment)
    assert repeated_segments(most)(path, "") == expected


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), st.integers(1, 4), st.booleans())
def test_a_cycle_of_segments_counts_as_often_as_it_comes_round(cycle: list[str], most: int, has_slash: bool) -> None:
    path = "/x/" + "/".join(cycle * (most + 1)) + "/" * has_slash
    assert repeated_segments(most)(path, "")


def test_empty_segments_are_none() -> None:
    assert not repeated_segments(1)("/////", "")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/2028/01/02/", ""),
        ("/calendar/2028/1/2", ""),
        ("/1989-12-31.html", ""),
        ("/cal_2031_07", ""),
        ("/events/2031/07/", ""),
        ("/events/31.12.2099", ""),
        ("/events/1/2/2099/", ""),
        ("/events/2026/01/2099/02", ""),
        ("/cal.php", "month=2031-07"),
        ("/cal.php", "month=203107"),
        ("/cal.php", "x=1&Date=20310704"),
        ("/cal.php", "tribe-bar-date=2031-07-04"),
        ("/cal.php", "day=2031%2F07%2F04"),
        ("/cal.php", "cal_year=2031&cal_month=7"),
        ("/cal.php", "Year=1901"),
        ("/cal.php", "jahr=2400&monat=1"),
    ],
)
def test_dates_far_from_the_crawls_year(path: str, query: str) -> None:
    assert IN_CALENDAR(path, query)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/", ""),
        ("/2026/01/02/", ""),
        ("/2027/12/31/", ""),
        ("/1990/01/01", ""),
        ("/cal.php", "date=20260102&year=2027"),
        ("/item/2031", ""),
        ("/item/123456/07", ""),
        ("/2031/13/", ""),
        ("/2031/1/", ""),
        ("/2031-0012", ""),
        ("/item/12031-07", ""),
        ("/cal.php", "update=20311704"),
        ("/cal.php", "id=20310704"),
        ("/cal.php", "year=20310"),
        ("/RFC2119-1", "page=2"),
    ],
)
def test_dates_near_it_and_other_numbers(path: str, query: str) -> None:
    assert not IN_CALENDAR(path, query)


@given(st.integers(1000, 9999), st.integers(1, 12), st.integers(1, 28))
def test_years_from_1990_to_the_one_after_the_crawls(year: int, month: int, day: int) -> None:
    expected = not 1990 <= year <= YEAR + 1
    for path in (f"/{year}/{month}/{day}/", f"/x-{year}-{month:02}-{day:02}.html", f"/{day}.{month}.{year}"):
        assert IN_CALENDAR(path, "") == expected
        assert IN_CALENDAR("/", f"q={path}&x") == expected
    assert IN_CALENDAR("/", f"start_date={year}{month:02}{day:02}") == expected
    assert IN_CALENDAR("/", f"m=1&year={year}") == expected


@given(NAMES)
def test_parameters_named_too_often(names: list[str]) -> None:
    expected = any(names.count(name) > 3 for name in names if name != "c[]")
    assert growing_query("/", "&".join(f"{name}={number}" for number, name in enumerate(names))) == expected


@pytest.mark.parametrize(
    ("query", "is_trap"),
    [
        ("", False),
        ("a&a&a", False),
        ("a&a&a&a", True),
        ("a=1;a=2;a=3;a=4", True),
        ("r=/l?r=/l?r=/l?r=/l", True),
        ("f%5B%5D=1&f%5B%5D=2&f%5B%5D=3&f%5B%5D=4", False),
        ("q=1==1==1==1", False),
        ("r=%2Fl%3Fr%3D%252Fl%253Fr%253D1", False),
        ("r=%2Fl%3Fr%3D%252Fl%253Fr%253D%25252Fl", True),
    ],
)
def test_queries_that_grow_from_themselves(query: str, is_trap: bool) -> None:
    assert growing_query("/", query) == is_trap


HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/a.jsp;jsessionid=1A530637289A03B07199A44E8D531427", ""),
        ("/a.jsp;JSESSIONID=ab.node0", "x=1"),
        ("/a.jsp%3Bjsessionid=ab", ""),
        ("/(S(55mfgh55vgblurtywsityvjq))/page.aspx", ""),
        ("/(A(xyz)S(55mfgh55vgblurtywsityvjq)F(q))/page.aspx", ""),
        ("/(55mfgh55vgblurtywsityvjq)/page.aspx", ""),
        ("/", f"PHPSESSID={HEX}"),
        ("/", "a=1&phpsessid=x"),
        ("/", "ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM"),
        ("/", "CFID=1&CFTOKEN=2"),
        ("/", f"osCsid={HEX}&x"),
        ("/", f"zenid={HEX}"),
        ("/", f"sid={HEX}"),
        ("/", f"a=1;session_id={HEX}"),
        ("/", f"s={HEX}"),
        ("/", f"s={HEX}&a=1"),
    ],
)
def test_session_numbers(path: str, query: str) -> None:
    assert session_id(path, query)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/", ""),
        ("/sid/jsessionid", ""),
        ("/a;v=1", ""),
        ("/wiki/C_(language)", ""),
        ("/f(x)/", ""),
        ("/", "sid=42"),
        ("/", "s=internationalisation-of-a-crawler"),
        ("/", f"s={HEX}0"),
        ("/", f"class={HEX}"),
        ("/", f"basid={HEX}"),
        ("/", "jsessionid="),
        ("/", "sid=two words that are no number at all"),
        ("/", "a=cfid"),
    ],
)
def test_no_session_numbers(path: str, query: str) -> None:
    assert not session_id(path, query)


_PIECES = st.sampled_from(
    [
        *(
            "/a",
            "/b",
            "/a/a",
            "/",
            "c",
            "?",
            "&",
            "=",
            "&a=1",
            "x[]=1",
            "year=",
            "2031",
            "1800",
            "99999",
            "/1989-01-02",
        ),
        *(
            "date=203101",
            ";jsessionid=x",
            "%3b",
            "(s(a))",
            "PHPSESSID=1",
            "sid=",
            "0123456789abcdef",
            "%2525",
            ":8080",
            "99999",
        ),
    ]
)


@given(st.lists(st.lists(_PIECES, max_size=8).map(lambda pieces: "http://a.example/" + "".join(pieces)), max_size=6))
def test_a_url_without_a_mark_is_no_trap(urls: list[str]) -> None:
    """What is found out about a folder holds for all of its URLs, so the same marks see several."""
    marks = Marks(YEAR, 4, 2)
    for _ in range(2):
        marked = marks.among(urls)
        for place in set(range(len(urls))) - set(marked):
            path, _, query = urls[place][len("http://a.example") :].partition("?")
            traps = (repeated_segments(2), IN_CALENDAR, session_id, growing_query)
            assert not any(is_trap(path, query) for is_trap in traps)
            assert not query
            assert path.count("/") <= 4


def test_most_urls_bear_no_mark() -> None:
    plain = [f"https://www.a.example/2019/07/{name}/page-{name}.html" for name in ("x", "2020", "20", "12345")]
    assert Marks(YEAR, 20, 3).among(plain) == []
