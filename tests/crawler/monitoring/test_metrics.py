"""Metrics of all ranks as Prometheus reads them."""

import errno
import socket
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage
from threading import Thread
from urllib.request import urlopen

import pytest
from hypothesis import given, settings
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from crawler.exchange.verdict import Status
from crawler.launch.checks import LOOPBACK
from crawler.monitoring import metrics as metrics_module
from crawler.monitoring.metrics import Metrics, StatesCollector
from crawler.monitoring.silence import HeldUp, Silence, Standstill
from crawler.network.bandwidth import AS_MUCH_AS_IT_GETS
from crawler.network.web import ERROR_KINDS
from tests.crawler.monitoring.support.states import NOTHING, STATES, errors

HEADER = {"run": "20260101T000000-abcdef", "assignment": "site-hash", "epochs": 2}
COUNTERS = {
    **{"cutweb_pages_total": "pages", "cutweb_bytes_total": "bytes", "cutweb_failed_total": "failed"},
    **{"cutweb_filtered_total": "filtered", "cutweb_urls_sent_total": "sent", "cutweb_wire_bytes_total": "wire_bytes"},
    **{"cutweb_network_bytes_total": "network_bytes", "cutweb_written_bytes_total": "written_bytes"},
    "cutweb_largest_domain_pages_total": "largest_domain_pages",
}
GAUGES = {
    **{"cutweb_queued": "queued", "cutweb_in_flight": "in_flight", "cutweb_undelivered": "undelivered"},
    **{"cutweb_waiting": "waiting", "cutweb_idle": "is_idle"},
    "cutweb_memory_bytes": "memory_bytes",
}

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    """All values by name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def collected(states: list[Status], epoch: int = 0) -> Samples:
    collector = StatesCollector("run", "site-hash")
    collector.take(states, epoch)
    return scraped(collector)


@given(STATES)
@settings(deadline=None, derandomize=True, max_examples=25)
def test_every_value_is_that_of_its_rank(states: list[Status]) -> None:
    found = collected(states, 5)
    for name, field in (COUNTERS | GAUGES).items():
        for rank, state in enumerate(states):
            assert found.pop((name, (("rank", str(rank)),))) == float(getattr(state, field))
    for rank, state in enumerate(states):
        of_rank = (("rank", str(rank)),)
        assert found.pop(("cutweb_cpu_seconds_total", of_rank)) == state.cpu_milliseconds / 1000
        assert found.pop(("cutweb_delay_debt_seconds", of_rank)) == state.delay_debt_milliseconds / 1000
        assert found.pop(("cutweb_held", of_rank)) == 0.0
        for kind, count in zip(ERROR_KINDS, state.errors, strict=True):
            assert found.pop(("cutweb_errors_total", (("kind", kind), ("rank", str(rank))))) == count
    assert 0 <= found.pop(("cutweb_superstep_seconds", ())) < 60
    assert found == {
        ("cutweb_paused", ()): 0.0,
        ("cutweb_run_info", (("assignment", "site-hash"), ("run", "run"))): 1.0,
        ("cutweb_ranks", ()): len(states),
        ("cutweb_epoch", ()): 5,
        ("cutweb_supersteps_total", ()): float(states[0].superstep),
        ("cutweb_run_seconds", ()): states[0].milliseconds / 1000,
    }


def scraped(collector: StatesCollector) -> Samples:
    registry = CollectorRegistry()
    registry.register(collector)
    return samples(generate_latest(registry).decode())


def test_before_the_first_exchange_there_is_only_the_run_and_what_holds_it_up() -> None:
    assert [name for name, _ in scraped(StatesCollector("run", "site-hash"))] == [
        "cutweb_run_info",
        "cutweb_superstep_seconds",
        "cutweb_paused",
    ]


def test_a_superstep_takes_ever_longer_until_it_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(metrics_module, "monotonic", lambda: now[0])
    collector = StatesCollector("run", "site-hash")
    for now[0], has_ended, seconds in ((130, False, 30), (700, False, 600), (701, True, 0), (703, False, 2)):
        if has_ended:
            collector.take([NOTHING], 0)
        assert scraped(collector)["cutweb_superstep_seconds", ()] == seconds


def test_what_holds_a_crawl_up_is_told_while_it_does() -> None:
    held_up = HeldUp()
    collector = StatesCollector("run", "site-hash", lambda: held_up)
    before = scraped(collector)
    held_up = HeldUp((Silence(3, "node2", 20.0, lives=True, stage="record"),), is_paused=True)
    found = scraped(collector)
    assert found["cutweb_silent_seconds", (("host", "node2"), ("rank", "3"))] == 20.0
    assert found["cutweb_paused", ()] == 1.0
    held_up = HeldUp(standstill=Standstill(("node1", "node2"), 90.0))
    found = scraped(collector)
    assert {labels: value for (name, labels), value in found.items() if name == "cutweb_standstill_seconds"} == {
        (("host", "node1"),): 90.0,
        (("host", "node2"),): 90.0,
    }
    held_up = HeldUp()
    assert scraped(collector).keys() == before.keys()


def test_every_metric_says_what_it_is() -> None:
    for family in _families([NOTHING]):
        assert family.documentation.endswith(".")
        assert family.name.startswith("cutweb_")


def test_a_rank_that_a_limit_keeps_waiting_is_held() -> None:
    found = collected([NOTHING._replace(bandwidth_need=AS_MUCH_AS_IT_GETS), NOTHING])
    assert [found["cutweb_held", (("rank", str(rank)),)] for rank in (0, 1)] == [1.0, 0.0]


def test_room_on_disk_is_asked_for_at_each_scrape_and_a_disk_that_is_gone_has_none(tmp_path: Path) -> None:
    collector = StatesCollector("run", "site-hash", session=tmp_path)
    collector.take([NOTHING], 0)
    free = {family.name: family.samples for family in collector.collect()}["cutweb_disk_free_bytes"]
    assert free[0].value == pytest.approx(disk_usage(tmp_path).free, rel=0.2)
    gone = StatesCollector("run", "site-hash", session=tmp_path / "gone")
    gone.take([NOTHING], 0)
    assert {family.name: family.samples for family in gone.collect()}["cutweb_disk_free_bytes"] == []


def _families(states: list[Status]) -> Iterator[object]:
    collector = StatesCollector("run", "site-hash")
    collector.take(states, 0)
    return collector.collect()


def test_a_scrape_sees_one_exchange_even_if_the_next_comes_meanwhile() -> None:
    collector = StatesCollector("run", "site-hash")
    collector.take([NOTHING._replace(pages=1, queued=1)] * 2, 1)
    scrape = collector.collect()
    next(scrape)
    collector.take([NOTHING._replace(pages=2, queued=2)] * 3, 2)
    values = {sample.value for family in scrape for sample in family.samples if "rank" in sample.labels}
    assert values == {0.0, 1.0}


def test_they_are_served_over_http_until_the_end() -> None:
    header = dict(HEADER)
    metrics = Metrics(0, header, LOOPBACK)
    try:
        header["epochs"] = 7
        metrics.show([NOTHING._replace(pages=4, errors=errors(dns=3)), NOTHING])
        with urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=20) as answer:
            found = samples(answer.read().decode())
    finally:
        metrics.close()
    assert found["cutweb_pages_total", (("rank", "0"),)] == 4
    assert found["cutweb_epoch", ()] == 7
    assert found["cutweb_errors_total", (("kind", "dns"), ("rank", "0"))] == 3
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("", metrics.port))


def test_scrapes_beside_a_crawl_find_every_exchange_whole() -> None:
    """All ranks have as many pages as the exchange has a number, whenever somebody looks."""
    metrics, torn = Metrics(0, HEADER, LOOPBACK), []

    def scrape() -> None:
        for _ in range(8):
            with urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=20) as answer:
                found = samples(answer.read().decode())
            pages = {value for (name, _), value in found.items() if name == "cutweb_pages_total"}
            if pages and pages != {found["cutweb_supersteps_total", ()]}:
                torn.append(pages)

    thread = Thread(target=scrape)
    thread.start()
    number = 0
    while thread.is_alive() or number < 2:
        number += 1
        metrics.show([NOTHING._replace(pages=number, superstep=number)] * 4)
    thread.join()
    metrics.close()
    assert torn == []


def test_a_port_that_somebody_took_meanwhile_is_an_error_that_names_the_option() -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"--metrics-port {port}: rank 0 cannot listen there") as caught:
            Metrics(port, HEADER, LOOPBACK)
    assert caught.value.errno == errno.EADDRINUSE


def test_metrics_are_served_on_loopback_unless_an_address_is_named() -> None:
    metrics = Metrics(0, HEADER, LOOPBACK)
    assert metrics.address == "127.0.0.1"
    metrics.close()
    metrics = Metrics(0, HEADER, "127.0.0.2")
    assert metrics.address == "127.0.0.2"
    with urlopen(f"http://127.0.0.2:{metrics.port}/metrics", timeout=5) as answer:
        assert answer.status == 200
    metrics.close()
