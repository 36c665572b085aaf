"""Which option is recommended, and from what."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay import advice
from crawler.replay.advice import SIMPLEST_FIRST, Option, advise, choice
from crawler.replay.costs import Cost
from crawler.replay.foresight.request import Candidate
from partition.choices import UNKNOWN_RULES
from partition.graphs.link_graph import GraphError
from partition.make_partition.in_memory import make_partition
from partition.models.settings import Settings
from tests.partition.quality.support.webs import SmallWeb, ring

QUICK = Settings(effort="low", threads=1, tolerance=0.3)


def option(
    model: str, *page_ms: float, rule: str | None = "prefix", imbalance: float = 0.0, wire: float = 1.0
) -> Option:
    """A way whose trials cost so many ms a page."""
    rule = None if model.endswith("hash") else rule
    return Option(Candidate(model, rule, 4), {}, 0, tuple(Cost(ms, imbalance, 0.0, wire) for ms in page_ms))


PAGE, PREFIX, HASH = option("page", 1.0, 1.1, 1.3), option("prefix", 1.1, 1.4, 1.9), option("page-hash", 1.1, 1.2, 1.25)


def test_a_simpler_way_is_recommended_within_the_band_of_the_cheapest() -> None:
    assert choice([PAGE, PREFIX, HASH]) == (HASH, PAGE)
    dear = option("page-hash", 1.25, 1.31, 1.4)
    assert choice([PAGE, PREFIX, dear]) == (PAGE, PAGE)
    assert choice([PAGE, option("prefix", 1.2, 1.2, 1.2), dear]) == (option("prefix", 1.2, 1.2, 1.2), PAGE)


def test_of_one_model_the_cheapest_rule_is_recommended() -> None:
    by_site = option("page", 0.9, 1.05, 1.2, rule="site")
    assert choice([PAGE, by_site]) == (by_site, by_site)


def test_where_nothing_keeps_its_balance_what_sends_least_is_recommended() -> None:
    even, uneven = (option("page-hash", 1.0, 1.1, 1.3, imbalance=share, wire=50.0) for share in (0.09, 0.2))
    by_map = option("prefix", 1.0, 1.1, 1.3, imbalance=0.2, wire=20.0)
    by_site = option("prefix", 1.0, 1.1, 1.3, rule="site", imbalance=0.5, wire=2.0)
    dear = option("site", 3.0, 3.0, 3.0, imbalance=0.9, wire=1.0)
    assert choice([even, by_map, dear])[0] == even
    assert choice([uneven, by_map, by_site, dear])[0] == by_map


@settings(deadline=None, derandomize=True)
@given(
    st.lists(
        st.builds(
            option,
            st.sampled_from(SIMPLEST_FIRST),
            *[st.sampled_from([1.0, 1.2, 1.5, 2.0])] * 3,
            imbalance=st.sampled_from([0.05, 0.2, 0.3]),
            wire=st.sampled_from([1.0, 2.0, 3.0]),
        )
    )
)
def test_choice_is_what_its_definition_says(options: list[Option]) -> None:
    options.append(HASH)
    chosen, cheapest = choice(options)
    assert cheapest.page_ms.middle == min(one.page_ms.middle for one in options)
    assert chosen.page_ms.middle <= cheapest.page_ms.high
    near = [one for one in options if one.page_ms.middle <= cheapest.page_ms.high]
    if any(one.storage_imbalance.middle <= 0.1 for one in near):
        rank = SIMPLEST_FIRST.index
        assert rank(chosen.candidate.model) == min(rank(one.candidate.model) for one in near)
    else:
        as_even = [one for one in near if one.imbalance.middle <= 1.25 * min(one.imbalance.middle for one in near)]
        assert chosen.wire_bytes.middle == min(one.wire_bytes.middle for one in as_even)


def test_advice_from_a_session(tmp_path: Path) -> None:
    session = ring().session(tmp_path / "ring")
    found = advise(session, 4, cutting=QUICK)
    assert (found.pages, found.held_out, found.ranks) == (40, 8, 4)
    ways = [one.candidate.way for one in found.options]
    assert ways[:4] == ["page/prefix", "page/site", "page/hash", "page/page-hash"]
    assert len(ways) == len(set(ways)) == 4 * (len(UNKNOWN_RULES) - 1) + 2
    assert found.base.candidate == Candidate("page-hash", None, 4)
    for one in found.options:
        # The whole session is fetched, and what was held out is not in the map.
        assert one.figures["coverage"] == 1
        assert (one.map_bytes > 0) == (one.candidate.rule is not None)
        if one.candidate.rule is not None:
            assert 0.2 < one.figures["unknown_discovered"] < 0.5
        assert 0 < one.page_ms.low <= one.page_ms.middle <= one.page_ms.high
    assert (found.chosen, found.cheapest) == choice(found.options)
    assert found.seconds(2.0) == 2.0 / 1000 * 40 / 4


def test_the_map_is_as_large_as_that_of_all_pages_will_be(tmp_path: Path) -> None:
    session = ring(400).session(tmp_path / "ring")
    found = advise(session, 2, cutting=QUICK)
    made = make_partition(session, "page", 2, tmp_path / "map", QUICK, progress=lambda _: None)
    size = made.manifest.mapped_bytes
    assert found.options[0].map_bytes == pytest.approx(size, rel=0.25)


def test_models_that_are_not_possible_are_left_out(tmp_path: Path) -> None:
    found = advise(ring().session(tmp_path / "ring"), 6, cutting=QUICK)
    assert [(left.model, left.k) for left in found.left_out] == [("site", None)]


def test_so_many_ranks_that_only_hashes_are_left(tmp_path: Path) -> None:
    found = advise(ring().session(tmp_path / "ring"), 40, cutting=QUICK)
    assert [one.candidate.model for one in found.options] == ["page-hash", "site-hash"]
    (command,) = found.commands
    assert command.startswith(f"cutweb crawl --ranks 40 --assign {found.chosen.candidate.model} --seeds ")
    reasons = {left.model: left.reason for left in found.left_out}
    assert reasons["page"] == "40 parts of the 32 pages that were not held out: some would be empty"


def test_commands_name_all_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = ring().session(tmp_path / "a ring")
    monkeypatch.setattr(advice, "choice", lambda options: (options[1], options[1]))
    cutting = Settings(effort="low", objective="links", tolerance=0.3, threads=1)
    assert advise(session, 2, cutting=cutting).commands == [
        f"cutweb partition '{session}' --model page --parts 2 --objective links --tolerance 0.3 --effort low "
        "--out 'a ring-in-2'",
        f"cutweb crawl --ranks 2 --partition 'a ring-in-2' --unknown site --seeds '{session}/seeds.txt' "
        f"--external all --out '{session}-next'",
    ]


def test_more_ranks_than_pages_are_refused(tmp_path: Path) -> None:
    pages = dict.fromkeys(["http://a.example/", "http://b.example/"], 1)
    with pytest.raises(GraphError, match="3 ranks for 2 pages"):
        advise(SmallWeb(pages, (), ()).session(tmp_path / "session"), 3)
