"""A port for metrics that is free, or is not."""

import socket
from pathlib import Path

import pytest

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.launch.metrics_port import check_metrics_port
from crawler.launch.plan import plan


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
        check_metrics_port(port)
        check_metrics_port(port, "127.0.0.3")
        with pytest.raises(UsageError, match=r"at 127\.0\.0\.2 \("):
            check_metrics_port(port, "127.0.0.2")
        with pytest.raises(UsageError, match=r"at 0\.0\.0\.0 \("):
            check_metrics_port(port, "0.0.0.0")


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.name.invalid", "x" * 70])
def test_what_is_no_address_of_this_machine_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="--metrics-port 9: rank 0 cannot listen there"):
        check_metrics_port(9, host)
