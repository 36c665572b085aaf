"""Who we say we are, and when we must."""

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.config.network_types import Contact
from crawler.network.contact import first_beyond_loopback, introduction


@pytest.mark.parametrize(
    "value",
    [
        "https://crawler.example/about",
        "http://crawler.example/?who=we&why#us",
        "crawler@research.example",
        "mailto:crawler+abuse@research.example",
    ],
)
def test_urls_and_mail_addresses_are_contacts(value: str) -> None:
    assert Contact().convert(value, None, None) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "me",
        "crawler.example",
        "ftp://crawler.example/",
        "me@here",
        "a b@c.example",
        "https://crawler.example/a b",
        "https://crawler.example/\r\nX-Evil: 1",
        "me@crawler.example\n",
        "https://crawler.example/(comment)",
        "https://crawler.example/\\",
        "https://b\u00fccher.example/",
        "https://",
    ],
)
def test_what_is_neither_or_cannot_stand_in_a_header_is_refused(value: str) -> None:
    with pytest.raises(click.BadParameter, match="is not an http") as refusal:
        Contact().convert(value, None, None)
    assert repr(value) in str(refusal.value)


@given(st.text(max_size=30), st.sampled_from(["{}", "https://a.example/{}", "{}@a.example", "me@{}.example"]))
def test_whatever_is_taken_is_a_comment_on_one_line(text: str, form: str) -> None:
    try:
        contact = Contact().convert(form.format(text), None, None)
    except click.BadParameter:
        return
    header = introduction("cutweb/0.1", contact)
    assert header.isascii()
    assert header.isprintable()
    assert (header.count("("), header.count(")"), header.count("\\")) == (1, 1, 0)
    assert len(header.split()) == 2


def test_an_introduction_names_the_contact() -> None:
    assert introduction("cutweb/0.1", "https://a.example/") == "cutweb/0.1 (+https://a.example/)"
    assert introduction("cutweb/0.1", "") == "cutweb/0.1"


@pytest.mark.parametrize(
    ("seed", "rules", "is_beyond"),
    [
        ("http://127.0.0.1:8080/", [], False),
        ("http://127.9.9.9/", [], False),
        ("http://[::1]/", [], False),
        ("http://[::ffff:7f00:1]/", [], False),
        ("http://localhost/", [], False),
        ("http://localhost./", [], False),
        ("https://www.localhost:8443/", [], False),
        ("http://localhost.example/", [], True),
        ("http://notlocalhost/", [], True),
        ("http://a.example/", [], True),
        ("http://10.0.0.1/", [], True),
        ("http://[2001:db8::1]/", [], True),
        ("http://127.0.0.1@a.example/", [], True),
        ("http://a.example/", ["::127.0.0.1:8080"], False),
        ("http://a.example/", ["::[::1]:"], False),
        ("http://a.example/", ["::localhost:"], False),
        ("http://a.example/", ["b.example::127.0.0.1:"], True),
        ("http://a.example/", ["::10.0.0.1:"], True),
        ("http://a.example/", ["::b.example:"], True),
        ("http://localhost/", ["::b.example:"], True),
        ("http://a.example/", [":::8080"], True),
    ],
)
def test_what_leads_beyond_this_machine_is_found_out(seed: str, rules: list[str], is_beyond: bool) -> None:
    assert first_beyond_loopback(["http://localhost:1/", seed], [":1:127.0.0.1:", *rules]) == (
        seed if is_beyond else None
    )


def test_the_first_is_named() -> None:
    assert first_beyond_loopback(["http://[::1]/", "http://b.example/", "http://a.example/"], []) == "http://b.example/"
