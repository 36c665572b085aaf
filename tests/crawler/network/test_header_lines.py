"""Header lines of an operator."""

import pytest

from crawler.network.header_lines import basic_credentials, header_line, without_value


def test_lines() -> None:
    assert header_line("X-Token", " s3cret ") == "X-Token: s3cret"
    assert basic_credentials("Aladdin:open sesame") == "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="  # RFC 7617
    assert basic_credentials("u:p:q") == "Authorization: Basic dTpwOnE="
    assert without_value("X-Token: s3cret: and more") == "X-Token: [removed]"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("X Token", "a", "'X Token' is not the name of a header"),
        ("", "a", "'' is not the name"),
        ("Host", "a", "Host is the crawler's own"),
        ("user-agent", "a", "user-agent is the crawler's own"),
        ("Authorization", "a", "own; give credentials"),
        ("X-Token", "s3cret\r\nX: y", "what X-Token is to say cannot stand"),
        ("X-Token", "s3cré", "cannot stand"),
        ("X-Token", " ", "cannot stand"),
        ("X-Token", "s3c" * 3000, "cannot stand"),
    ],
)
def test_what_cannot_be_sent_is_refused_without_being_told(name: str, value: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        header_line(name, value)
    assert "s3c" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "s3cret", ":s3cret", "a:s3cret\n"])
def test_what_are_no_credentials(text: str) -> None:
    with pytest.raises(ValueError, match=r"^is not USER:PASSWORD$"):
        basic_credentials(text)
