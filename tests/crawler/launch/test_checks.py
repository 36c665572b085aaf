"""What is checked before a crawl begins: all problems are told at once."""

import socket
from pathlib import Path

import pytest

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.scope import ScopeError
from crawler.launch.checks import Checks, check_metrics_port
from crawler.launch.plan import plan
from sessions.session import SessionError


def refuse(*problems: str) -> int:
    if problems:
        raise UsageError(*problems)
    return 7


def fail(error: Exception) -> None:
    raise error


def test_what_is_in_order_is_returned() -> None:
    checks = Checks()
    assert checks.run(refuse) == 7
    checks.refuse()


def test_problems_are_told_together_each_once() -> None:
    checks = Checks()
    assert checks.run(refuse, "a", "b") is None
    checks.run(fail, SessionError("c"))
    checks.run(fail, ScopeError("a"))
    with pytest.raises(UsageError) as caught:
        checks.refuse()
    assert caught.value.problems == ("a", "b", "c")
    assert str(caught.value) == "a; b; c"


def test_what_nobody_foresaw_is_not_kept() -> None:
    with pytest.raises(ZeroDivisionError):
        Checks().run(fail, ZeroDivisionError())


# A port for metrics that is free, or is not.


@pytest.mark.parametrize("port", [None, 0])
def test_no_port_is_asked_for(port: int | None) -> None:
    check_metrics_port(port)


def test_a_port_that_is_taken_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        options = CrawlOptions(urls=("http://127.0.0.1/",), out=tmp_path / "out", metrics_port=port)
        with pytest.raises(UsageError) as caught:
            plan(options, 1)
    assert str(caught.value) == (
        f"--metrics-port {port}: rank 0 cannot listen there, at 127.0.0.1 (Address already in use); name another port, "
        "or another address with --metrics-host"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_free_is_free_afterwards() -> None:
    with socket.socket() as found:
        found.bind(("", 0))
        port = found.getsockname()[1]
    check_metrics_port(port)
    check_metrics_port(port)


def test_a_port_that_is_taken_at_one_address_is_free_at_another() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.2", 0))
        taken.listen()
        port = taken.getsockname()[1]
        check_metrics_port(port, "127.0.0.4")
        check_metrics_port(port, "127.0.0.3")
        with pytest.raises(UsageError, match=r"at 127\.0\.0\.2 \("):
            check_metrics_port(port, "127.0.0.2")
        with pytest.raises(UsageError, match=r"at 0\.0\.0\.0 \("):
            check_metrics_port(port, "0.0.0.0")


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.name.invalid", "x" * 70])
def test_what_is_no_address_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="--metrics-port 9: rank 0 cannot listen there"):
        check_metrics_port(9, host)
