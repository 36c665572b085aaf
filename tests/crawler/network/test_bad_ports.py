"""Ports that browsers refuse."""

import pytest

from crawler.network.bad_ports import BAD_PORTS, has_bad_port


@pytest.mark.parametrize(
    ("url", "is_bad"),
    [
        ("http://a.example/", False),
        ("http://a.example:8080/", False),
        ("https://a.example:6000/", True),
        ("http://a.example:0/", True),
        ("http://a.example:10080/x?y#", True),
        ("http://a.example:60000/", False),
        ("http://[::25]/", False),
        ("http://[::1]:25/", True),
        ("http://a.example/x:25/", False),
        ("http://a.example/?u=http://b.example:25/", False),
        ("http://x:25/", True),
    ],
)
def test_the_port_of_a_url_is_looked_up(url: str, is_bad: bool) -> None:
    assert has_bad_port(url) == is_bad


def test_the_list_is_that_of_the_fetch_standard() -> None:
    """Number and sum of the ports in its table, as it stood when port 0 was added (whatwg/fetch, August 2025)."""
    assert (len(BAD_PORTS), sum(BAD_PORTS)) == (83, 115595)
    assert {0, 1, 22, 25, 69, 427, 989, 4190, 6000, 6665, 6679, 10080} <= BAD_PORTS
    assert not {80, 443, 8000, 8080, 8443} & BAD_PORTS
