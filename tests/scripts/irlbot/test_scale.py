"""docs/scale.md: written from docs/scale.json, whose computed part is the model's, and in which the paper agrees."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.config.crawl_options import CrawlOptions
from crawler.feasibility.cluster_needs import Needs, PageCost, other_budgets
from scripts.irlbot import bench_drum, store_task
from scripts.irlbot.cluster_needs import NODES, PAGES, RANKS_A_NODE
from scripts.irlbot.drum_section import beside_theorem
from scripts.irlbot.figures import page_figures, paper_figures
from scripts.irlbot.number_format import agreement, count, size
from scripts.irlbot.other_stores import OTHERS
from scripts.irlbot.paper_load import Keys
from scripts.irlbot.plots import DISK_RATE, OVERHEAD, plot
from scripts.irlbot.report import as_markdown

ROOT = Path(__file__).resolve().parents[3]
FIGURES = json.loads((ROOT / "docs" / "scale.json").read_text())


def test_the_page_is_written_from_its_figures() -> None:
    assert (ROOT / "docs" / "scale.md").read_text() == as_markdown(FIGURES)


def test_what_is_computed_is_what_the_model_says_now() -> None:
    assert FIGURES["paper"] == json.loads(json.dumps(paper_figures()))
    assert FIGURES["page"] == page_figures()


def printed(figures: object) -> list[tuple[float, str]]:
    """All pairs of ours and the paper's."""
    if isinstance(figures, dict):
        if figures.get("printed") is not None:
            return [(figures["ours"], figures["printed"])]
        return [pair for part in figures.values() for pair in printed(part)]
    return [pair for part in figures for pair in printed(part)] if isinstance(figures, list) else []


def test_everything_printed_is_ours_to_its_digits() -> None:
    paper = paper_figures()
    readings = paper.pop("readings")
    assert len(printed(paper)) == 15 + 2 + 3 + 2 + 1
    assert {agreement(*pair) for pair in printed(paper)} == {"rounded", "truncated"}
    assert [agreement(*pair) for pair in printed(readings)] == ["**deviates**", "truncated", "**deviates**", "rounded"]


@pytest.mark.parametrize(
    ("ours", "stated", "how"),
    [
        (93.9996, "93", "truncated"),
        (93.9996, "94", "rounded"),
        (2.267, "2.26", "truncated"),
        (2.264, "2.26", "rounded"),
        (66_082.6, "66,082", "truncated"),
        (2.27, "2.26", "within 1%"),
        (2.29, "2.26", "**deviates**"),
    ],
)
def test_agreement_goes_by_printed_digits(ours: float, stated: str, how: str) -> None:
    assert agreement(ours, stated) == how


def test_numbers_as_words() -> None:
    assert [count(number) for number in (8e8, 8e9, 8e12, 12_345)] == ["800 M", "8 B", "8 T", "12,345"]
    assert [size(number) for number in (999, 2.5e9, 7.6e13, 1.5e16)] == ["999 B", "2.5 GB", "76 TB", "15 PB"]


def test_plots_name_their_curves_and_no_date(tmp_path: Path) -> None:
    plot(tmp_path)
    for file, curves in ((OVERHEAD, ("Polybot", "Mercator-B", "DRUM")), (DISK_RATE, ("one queue", "BEAST"))):
        drawn = (tmp_path / file).read_text()
        assert all(f">{curve}" in drawn for curve in curves)
        assert "dc:date" not in drawn
        assert len((ROOT / "docs" / file).read_text()) < 50_000


def needs(budget: int = 256 << 20, **measured: float) -> Needs:
    usual = {"cpu_ms": 0.5, "received": 7_000.0, "links": 60.0, "wire": 10.0, "stored": 9_000.0, "base_memory": 150e6}
    return Needs(PageCost(**{**usual, **measured}), PAGES, NODES * RANKS_A_NODE, budget)


@settings(deadline=None, derandomize=True)
@given(st.floats(1.0, 200.0))
def test_what_a_cluster_needs_is_what_its_ranks_do(links: float) -> None:
    needed = needs(links=links)
    assert needed.links_a_rank * NODES * RANKS_A_NODE == pytest.approx(PAGES * links)
    assert needed.load.key_bytes == 11
    keys = PAGES * links / 9 / needed.ranks
    assert needed.keys == pytest.approx(keys * 11)
    assert needed.frontier == pytest.approx(max(0.0, keys - PAGES / needed.ranks) * 110)
    at_least = 2 * (11 + needed.load.url_bytes) * PAGES * links / needed.ranks  # into buckets and out of them
    assert needed.seen_traffic >= at_least
    swept = needed.links_a_rank**2 * 11 / 9 / needed.at_once
    assert needed.merge_traffic == pytest.approx(swept)
    assert needed.seen_traffic == pytest.approx(at_least + swept, rel=1e-6)


def test_more_memory_for_url_seen_is_less_traffic_and_a_page_more_has_the_budgets_of_others() -> None:
    assert needs(budget=1 << 30).seen_traffic < needs().seen_traffic
    defaults = CrawlOptions()
    assert other_budgets() >= (defaults.frontier_memory + defaults.sent_memory) * 2**20


@pytest.fixture
def benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict:
    out = tmp_path / "figures.json"
    sizes = ["--keys", "30000", "--budget", "1", "--beside-keys", "3000", "--beside-budget", "1", "--aux", "20"]
    monkeypatch.setattr(sys, "argv", ["bench_drum.py", *sizes, "--out", str(out)])
    monkeypatch.setattr(bench_drum, "_in_a_process", store_task.measured)
    bench_drum.main()
    figures: dict = json.loads(out.read_text())
    return figures


def test_the_benchmark_measures_what_it_says(benchmark: dict) -> None:
    drum = benchmark["drum"]
    assert drum["operations"] == 9 * drum["keys"] == 270_000
    assert len(drum["tenths"]) == 10
    assert sum(records for records, _ in drum["cycles"]) == drum["operations"]
    assert sum(seconds for _, seconds in drum["cycles"]) == pytest.approx(drum["wall"])
    assert drum["merges"] >= 2
    moved = (drum["read"] + drum["written"]) / drum["operations"]
    assert moved == pytest.approx(beside_theorem(drum).by_merges, rel=0.1)
    assert [store["operations"] for store in benchmark["beside"]] == [27_000] * len(benchmark["beside"])
    assert {"DRUM", "sqlite", "Mercator-B"} <= {store["store"] for store in benchmark["beside"]}


def test_a_store_that_forgets_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(OTHERS["Mercator-B"]):
        def put(self, keys: Keys) -> None:
            super().put(keys[1:])

    monkeypatch.setitem(store_task.STORES, "forgetful", Forgetful)
    with pytest.raises(SystemExit, match="forgetful found"):
        store_task.measured(store_task.Task("forgetful", 1_000, 1 << 20, 0))
