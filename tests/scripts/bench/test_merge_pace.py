"""The bench of pages while URL-seen merges: what counts as before, during and after a merge, and what is told of it."""

from types import SimpleNamespace
from typing import Any, cast

from crawler.discovery.discovery import Discovery
from scripts.bench import merge_pace
from scripts.bench.merge_pace import MergePaces
from scripts.irlbot.merge_section import merge_section


def fake_discovery() -> SimpleNamespace:
    return SimpleNamespace(is_merging=False, seen=SimpleNamespace(merges=7))


def test_pages_count_as_before_during_and_after_one_merge() -> None:
    discovery = fake_discovery()
    paces = MergePaces(cast(Discovery, discovery))
    paces.note(10, 1.0)
    paces.note(10, 1.0)
    discovery.is_merging = True
    paces.note(8, 1.0)
    paces.note(6, 3.0)
    discovery.is_merging, discovery.seen.merges = False, 8
    paces.note(7, 1.0)
    assert not paces.is_over
    paces.note(merge_pace._PAGES_AFTER, 2.0)
    assert paces.is_over
    figures = paces.figures(0.5)
    assert figures["before"] == {"pages": 20, "seconds": 2.0, "longest": 1.0}
    assert figures["merging"] == {"pages": 21, "seconds": 5.0, "longest": 3.0}
    assert figures["after"] == {"pages": merge_pace._PAGES_AFTER, "seconds": 2.0, "longest": 2.0}


def test_what_comes_while_the_next_merge_goes_on_is_not_after_the_one_before() -> None:
    discovery = fake_discovery()
    paces = MergePaces(cast(Discovery, discovery))
    discovery.is_merging = True
    paces.note(5, 1.0)
    discovery.seen.merges = 8
    paces.note(5, 1.0)
    assert paces.is_over
    paces.note(5, 1.0)
    assert paces.figures(0.0)["after"]["pages"] == 0


def test_the_section_tells_medians_and_the_slowest_merge() -> None:
    def pace(pages: int, seconds: float) -> dict[str, Any]:
        return {"pages": 100 * pages, "seconds": seconds, "longest": 0.25}

    merges = [
        {"before": pace(100, 1.0), "merging": pace(pages, 1.0), "after": pace(after, 1.0), "in_one_go": 2.0}
        for pages, after in ((80, 0), (70, 0), (90, 95))
    ]
    told = merge_section({"memory": 16, "machine": "a machine", "sizes": [{"keys": 2_000_000, "merges": merges}]})
    assert "| 2 M | 10,000 | 8,000 | 9,500 | 0.80 | 0.70 | 1.0 | 250 | 2.0 |" in told
