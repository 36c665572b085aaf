"""Which option is recommended, and from what."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.replay import advice
from crawler.replay.advice import NEARLY, Option, advise, choice
from crawler.replay.foresight.request import Candidate
from partition.graphs.link_graph import GraphError
from partition.making import make_partition
from partition.map.files import MAPPED
from partition.models.partitioning import Settings
from tests.partition.quality.webs import SmallWeb, ring

QUICK = Settings(effort="low", threads=1, tolerance=0.3)
ORDER = ["site-hash", "page-hash", "site", "prefix", "url-range", "page"]


def option(model: str, imbalance: float, wire: float, overlap: float = 0, rule: str | None = "prefix") -> Option:
    rule = None if model.endswith("hash") else rule
    figures = {
        "storage_imbalance": imbalance,
        "requests_imbalance": imbalance / 2,
        "wire_bytes_per_page": wire,
        "overlap": overlap,
    }
    return Option(Candidate(model, rule, 4), figures, 0)


PAGE, PREFIX, HASH = option("page", 0.05, 10), option("prefix", 0.2, 2), option("page-hash", 0.01, 100)


def test_the_lightest_of_the_even_ones() -> None:
    assert choice([PREFIX, PAGE, HASH], 0.1) == (PAGE, PAGE)
    assert choice([PREFIX, PAGE, HASH], 0.2) == (PREFIX, PREFIX)
    assert choice([PREFIX, HASH], 0.1) == (HASH, HASH)


def test_what_overlaps_is_never_recommended() -> None:
    twice = option("page", 0, 0, overlap=0.01, rule="discoverer")
    assert choice([twice, HASH], 0.1) == (HASH, HASH)
    by_chance = option("page", 0, 0, rule="discoverer")
    assert choice([by_chance, HASH], 0.1) == (HASH, HASH)


def test_something_simpler_wins_if_it_sends_nearly_as_little() -> None:
    near, far = option("site-hash", 0.1, 10 * (1 + NEARLY)), option("site-hash", 0.1, 10.1 * (1 + NEARLY))
    assert choice([PAGE, near], 0.1) == (near, PAGE)
    assert choice([PAGE, far], 0.1) == (PAGE, PAGE)


def test_the_most_even_if_none_is_within_the_tolerance() -> None:
    assert choice([PREFIX, PAGE], 0.04) == (PAGE, None)


@settings(deadline=None, derandomize=True)
@given(
    st.lists(
        st.builds(
            option,
            st.sampled_from(ORDER),
            st.sampled_from([0.0, 0.05, 0.1, 0.3]),
            st.sampled_from([0.0, 1.0, 1.04, 2.0]),
            st.sampled_from([0, 0, 0.5]),
        ),
        min_size=1,
    )
)
def test_choice_is_what_its_definition_says(options: list[Option]) -> None:
    options.append(HASH)
    chosen, least = choice(options, 0.1)
    fair = [one for one in options if not one.overlap and one.imbalance <= 0.1]
    assert least is not None  # page hash is fair here
    assert chosen in fair
    assert least in fair
    assert least.wire_bytes == min(one.wire_bytes for one in fair)
    assert chosen.wire_bytes <= 1.05 * least.wire_bytes
    simpler = [one for one in fair if ORDER.index(one.candidate.model) < ORDER.index(chosen.candidate.model)]
    assert all(one.wire_bytes > 1.05 * least.wire_bytes for one in simpler)


def test_advice_from_a_session(tmp_path: Path) -> None:
    session = ring().session(tmp_path / "ring")
    found = advise(session, 4, cutting=QUICK)
    assert (found.pages, found.held_out, found.ranks) == (40, 8, 4)
    ways = [one.candidate.way for one in found.options]
    assert ways[:5] == ["page/prefix", "page/site", "page/hash", "page/page-hash", "page/discoverer"]
    assert len(ways) == len(set(ways)) == 4 * 5 + 2
    assert found.base.candidate == Candidate("page-hash", None, 4)
    for one in found.options:
        # The whole session is fetched, and what was held out is not in the map.
        assert one.figures["coverage"] == 1
        assert (one.map_bytes > 0) == (one.candidate.rule is not None)
        if one.candidate.rule is not None:
            assert one.figures["unknown_discovered"] == pytest.approx((8 + 5) / 45)
    assert (found.chosen, found.least) == choice(found.options, found.tolerance)


def test_the_map_is_as_large_as_that_of_all_pages_will_be(tmp_path: Path) -> None:
    session = ring(400).session(tmp_path / "ring")
    found = advise(session, 2, cutting=QUICK)
    made = make_partition(session, "page", 2, tmp_path / "map", QUICK, progress=lambda _: None)
    size = sum(made.manifest.files[name]["bytes"] for name in MAPPED)
    assert found.options[0].map_bytes == pytest.approx(size, rel=0.25)


def test_models_that_are_not_possible_are_left_out(tmp_path: Path) -> None:
    found = advise(ring().session(tmp_path / "ring"), 6, cutting=QUICK)
    assert [(left.model, left.k) for left in found.left_out] == [("site", None)]


def test_so_many_ranks_that_only_hashes_are_left(tmp_path: Path) -> None:
    found = advise(ring().session(tmp_path / "ring"), 40, cutting=QUICK)
    assert [one.candidate.model for one in found.options] == ["page-hash", "site-hash"]
    assert found.commands == [f"cutweb crawl --ranks 40 --assign {found.chosen.candidate.model} ..."]
    reasons = {left.model: left.reason for left in found.left_out}
    assert reasons["page"] == "40 parts of the 32 pages that were not held out: some would be empty"


def test_commands_name_all_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = ring().session(tmp_path / "a ring")
    monkeypatch.setattr(advice, "choice", lambda options, _: (options[1], options[1]))
    cutting = Settings(effort="low", objective="links", tolerance=0.3, threads=1)
    assert advise(session, 2, cutting=cutting).commands == [
        f"cutweb partition '{session}' --model page --parts 2 --objective links --tolerance 0.3 --effort low "
        "--out 'a ring-in-2'",
        "cutweb crawl --ranks 2 --partition 'a ring-in-2' --unknown site ...",
    ]


def test_what_a_larger_tolerance_would_allow(tmp_path: Path) -> None:
    found = advise(ring().session(tmp_path / "ring"), 2, cutting=QUICK)

    def beyond(*options: Option) -> Option | None:
        return replace(found, options=options, chosen=HASH, tolerance=0.1).beyond

    assert beyond(PREFIX, HASH) == PREFIX
    assert beyond(PREFIX, option("site", 0.15, 40), HASH) == option("site", 0.15, 40)
    assert beyond(option("page", 0.2, 60), HASH) is None  # not much lighter
    assert beyond(option("page", 5, 1), HASH) is None  # nobody would want that
    assert beyond(option("page", 0.2, 1, overlap=0.1), HASH) is None


def test_more_ranks_than_pages_are_refused(tmp_path: Path) -> None:
    pages = dict.fromkeys(["http://a.example/", "http://b.example/"], 1)
    with pytest.raises(GraphError, match="3 ranks for 2 pages"):
        advise(SmallWeb(pages, (), ()).session(tmp_path / "session"), 3)
