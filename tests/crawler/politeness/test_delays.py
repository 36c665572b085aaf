from collections.abc import Collection

import pytest

from crawler.politeness.delays import Delays

MARGIN = 0.004


@pytest.mark.parametrize(
    ("crawl_delay", "response_seconds", "failures", "rest"),
    [
        (0.0, 0.0, 0, 1.0),
        (5.0, 0.0, 0, 5.0),
        (0.5, 0.0, 0, 1.0),
        (0.0, 3.0, 0, 6.0),
        (5.0, 2.0, 0, 5.0),
        (0.0, 0.0, 1, 4.0),
        (0.0, 0.0, 2, 8.0),
        (0.0, 0.0, 6, 128.0),
        (0.0, 0.0, 99, 128.0),
        (0.0, 9.0, 1, 18.0),
        (9999.0, 0.0, 0, 9999.0),
        (0.0, 9999.0, 0, 3600.0),
        (9999.0, 9999.0, 12, 9999.0),
    ],
)
def test_the_largest_of_the_delays_counts(
    crawl_delay: float, response_seconds: float, failures: int, rest: float
) -> None:
    delays = Delays(1.0, 0.5, factor=2.0, retry_wait=4.0)
    said = delays.site_rest("a.example", crawl_delay, response_seconds, failures)
    assert rest <= said <= rest + MARGIN


def test_without_a_delay_a_slow_site_does_not_rest() -> None:
    delays = Delays(0.0, 0.0, factor=2.0)
    assert delays.site_rest("a.example", 0.0, 9.0, 0) == 0.0
    assert delays.server_rest("192.0.2.1", ["a.example"]) == 0.0
    assert delays.site_rest("a.example", 2.0, 9.0, 0) >= 2.0


def test_a_server_rests_at_least_its_delay() -> None:
    assert 0.5 <= Delays(1.0, 0.5).server_rest("192.0.2.1", []) <= 0.5 + MARGIN
    assert 0.02 <= Delays(1.0, 0.02).server_rest("192.0.2.1", []) <= 0.021


def test_after_a_robots_txt_a_site_rests_as_all_do() -> None:
    class Long:
        def site_rest(self, site: str) -> float:
            return 40.0

        def server_rest(self, server: str, sites: Collection[str]) -> float:
            return 0.0

    delays = Delays(delay=0.5, rests=Long())
    assert delays.site_rest("a.example", 0.0, 0.0, 0) >= 40.0
    assert delays.site_rest("a.example", 0.0, 0.0, 0, is_page=False) < 1.0
    assert delays.site_rest("a.example", 7.0, 0.0, 0, is_page=False) >= 7.0


def test_in_a_run_that_goes_on_all_rest_from_its_begin_on() -> None:
    delays = Delays(1.0, 0.5, visited_at=100.0)
    site_rest, server_rest = delays.rests_left("a.example", "192.0.2.1", ["a.example"], 0.0, 100.25)
    assert 0.75 <= site_rest <= 0.75 + MARGIN
    assert 0.25 <= server_rest <= 0.25 + MARGIN
    assert delays.rests_left("a.example", "192.0.2.1", ["a.example"], 7.0, 101.5)[0] >= 5.5
    assert delays.rests_left("a.example", "192.0.2.1", ["a.example"], 0.0, 101.5) == (0.0, 0.0)
    assert Delays(1.0, 0.5).rests_left("a.example", "192.0.2.1", ["a.example"], 7.0, 100.0) == (0.0, 0.0)
