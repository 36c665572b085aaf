"""From sessions to states and on: who stands where, and what of it is written and read again."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from partition.choices import LEARNERS
from partition.make_partition.in_memory import make_partition
from partition.make_partition.made_partition import MadePartition
from partition.map.manifest import MANIFEST, PARTS_TABLE, SHARDS, MapError, length_and_xxh3, read_manifest
from partition.map.partition_map import PartitionMap
from partition.models.settings import Settings
from partition.twoma.learner import LearnerSettings, Standing
from partition.twoma.learnt_partition import learnt_states, measured_states
from partition.twoma.site_states import SCHEMA, STATES, SiteStates, read_states, states_beside
from partition.twoma.site_times import SiteTimes, TimesError
from tests.partition.twoma.support.crawled import Fetch, crawled, pages_of
from tests.sessions.support.breaking import edit_header

TWOMA = LearnerSettings("twoma", "page")


def times_of(rows: dict[str, list[tuple[int, float]]]) -> SiteTimes:
    """For each site and rank, pages and seconds a page."""
    fetched = np.array([[pages for pages, _ in row] for row in rows.values()])
    means = np.array([[seconds for _, seconds in row] for row in rows.values()])
    return SiteTimes(list(rows), fetched, fetched, fetched * means, np.full(len(rows), -1))


def made(
    session: Path, out: Path, previous: Path | None = None, learning: LearnerSettings = TWOMA, k: int = 2
) -> MadePartition:
    return make_partition(
        session,
        "twoma",
        k,
        out,
        Settings(),
        unknown="site",
        previous=previous,
        learning=learning,
        progress=lambda _words: None,
    )


def states_of(folder: Path) -> SiteStates:
    return read_states(folder, read_manifest(folder))


def test_sites_begin_where_most_of_their_pages_were_fetched() -> None:
    times = times_of({"a": [(3, 1.0), (0, 0)], "b": [(4, 3.0), (0, 0)], "c": [(0, 0), (2, 1.0)]})
    after = learnt_states(times, SiteStates.none(2), TWOMA, 1)
    assert after.sites == ["a", "b", "c"]
    assert after.standing.parts.tolist() == [0, 1, 1]  # a below the mean of rank 0, b above it, c alone at rank 1
    assert after.standing.states.tolist() == [1, 0, 0]
    assert after.experience.visits.tolist() == [[1, 0], [1, 0], [0, 1]]
    assert after.experience.seconds.tolist() == [[1.0, 0], [3.0, 0], [0, 1.0]]
    assert after.runs == 1


def test_measures_of_sites_on_several_ranks_are_kept_for_each() -> None:
    times = times_of({"a": [(3, 1.0), (2, 4.0)], "b": [(0, 0), (2, 1.0)]})
    before = measured_states(times_of({"b": [(1, 5.0), (0, 0)]}), SiteStates.none(2))
    after = measured_states(times, before)
    assert after.sites == ["b", "a"]
    assert after.standing.parts.tolist() == [1, 0]
    assert after.experience.visits.tolist() == [[1, 1], [1, 1]]
    assert after.experience.means.tolist() == [[5.0, 1.0], [1.0, 4.0]]
    assert np.isnan(before.experience.means).tolist() == [[False, True]]


def test_sites_that_were_not_fetched_keep_rank_and_state() -> None:
    first = times_of({"a": [(3, 1.0), (0, 0)], "b": [(3, 2.0), (0, 0)], "c": [(3, 1.0), (0, 0)]})
    before = learnt_states(first, SiteStates.none(2), TWOMA, 1)
    assert before.standing.states.tolist() == [1, 0, 1]
    second = times_of({"d": [(1, 1.0), (0, 0)], "c": [(1, 3.0), (0, 0)]})
    after = learnt_states(second, before, TWOMA, 1)
    assert after.sites == ["a", "b", "c", "d"]
    assert after.standing.parts.tolist() == [0, 1, 0, 0]
    assert after.standing.states.tolist() == [1, 0, 0, 1]
    assert after.experience.visits.tolist() == [[1, 0], [1, 0], [2, 0], [1, 0]]
    assert before.experience.visits.tolist() == [[1, 0], [1, 0], [1, 0]]


def test_a_site_that_was_fetched_elsewhere_has_arrived_there() -> None:
    before = SiteStates(
        ["a", "b"],
        Standing(np.array([0, 1]), np.array([4, 4])),
        SiteStates.none(2).experience.with_more_sites(2),
        3,
    )
    after = learnt_states(times_of({"a": [(0, 0), (5, 1.0)], "b": [(0, 0), (5, 3.0)]}), before, TWOMA, 1)
    assert after.standing.parts.tolist() == [1, 1]
    assert after.standing.states.tolist() == [1, 3]
    assert after.runs == 4


def test_a_rank_without_a_measured_page_keeps_what_it_has() -> None:
    rows = {"a": [(3, 1.0), (0, 0)], "b": [(3, 2.0), (0, 0)], "c": [(0, 0), (4, 1.0)], "d": [(0, 0), (4, 9.0)]}
    times = times_of(rows)
    unmeasured = SiteTimes(times.names, times.fetched, times.measured * [1, 0], times.seconds * [1, 0], times.blocks)
    after = learnt_states(unmeasured, SiteStates.none(2), TWOMA, 1)
    assert after.standing.parts[2:].tolist() == [1, 1]
    assert after.standing.states[2:].tolist() == [0, 0]


def test_chance_is_another_in_each_session_and_the_same_in_the_same() -> None:
    rows = {f"s{number}": [(1, 1.0 + number % 2), (0, 0), (0, 0)] for number in range(40)}
    first, again, other = (learnt_states(times_of(rows), SiteStates.none(3), TWOMA, seed) for seed in (1, 1, 2))
    assert first.standing.parts.tolist() == again.standing.parts.tolist() != other.standing.parts.tolist()
    nobody = SiteStates.none(3)
    later = SiteStates([], nobody.standing, nobody.experience, 1)
    assert learnt_states(times_of(rows), later, TWOMA, 1).standing.parts.tolist() != first.standing.parts.tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_map_and_the_states_beside_it(tmp_path: Path, learner: str) -> None:
    fetches = [
        fetch for site in range(12) for fetch in pages_of(f"s{site}.example", site % 2, 3, 100.0 * (1 + site % 3))
    ]
    session = crawled(tmp_path / "crawl", fetches)
    found = made(session, tmp_path / "first", learning=LearnerSettings(learner))
    states, table = states_of(tmp_path / "first"), PartitionMap.open(tmp_path / "first")
    assert (table.manifest.origin.model, table.manifest.unknown) == ("twoma", "site")
    names = {path.name for path in (tmp_path / "first").iterdir()}
    assert names == {MANIFEST, PARTS_TABLE, SHARDS, STATES}
    assert pq.read_schema(tmp_path / "first" / STATES).equals(SCHEMA)
    of_site = dict(zip(states.sites, states.standing.parts.tolist(), strict=True))
    for site, part in of_site.items():
        assert table.part_of_site(f"http://{site}/new") == table.part_by_prefix(f"http://{site}/new") == part
    key_parts = pq.read_table(tmp_path / "first" / "parts.parquet").to_pydict()
    assert dict(zip(key_parts["key"], key_parts["part"], strict=True)) == of_site
    assert found.partition.settings["runs"] == 1
    assert found.partition.settings["measured_sites"] == 12
    moved = sum(of_site[f"s{site}.example"] != site % 2 for site in range(12))
    assert found.partition.settings["moved_sites"] == moved
    assert table.manifest.origin.weights == ()
    # The next session: crawled by the map, some sites gone, one new.
    fetches = [fetch for site in range(10) for fetch in pages_of(f"s{site}.example", of_site[f"s{site}.example"], 3)]
    second = crawled(tmp_path / "later", [*fetches, Fetch("new.example", 1)])
    made(second, tmp_path / "second", tmp_path / "first", LearnerSettings(learner))
    later = states_of(tmp_path / "second")
    assert later.sites == [*states.sites, "new.example"]
    assert later.runs == 2
    kept = [states.sites.index(f"s{site}.example") for site in (10, 11)]
    assert later.standing.parts[kept].tolist() == states.standing.parts[kept].tolist()
    assert later.standing.states[kept].tolist() == states.standing.states[kept].tolist()
    assert later.experience.visits.sum() == 12 + 10 + 1
    assert PartitionMap.open(tmp_path / "second").part_of_site("http://s11.example/") == of_site["s11.example"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    states = SiteStates.none(3).experience.with_more_sites(7)
    states.add(np.arange(7), np.arange(7) % 3, chance.random(7))
    written = SiteStates([f"s{number}" for number in range(7)], Standing(np.arange(7) % 3, np.arange(7) % 6), states, 4)
    made(crawled(tmp_path / "crawl", pages_of("a.example", 0, 2), 3), tmp_path / "map", k=3)
    replace_states(tmp_path / "map", written, 4)
    found = states_of(tmp_path / "map")
    assert found.sites == written.sites
    assert found.runs == 4
    assert found.standing.parts.tolist() == written.standing.parts.tolist()
    assert found.standing.states.tolist() == written.standing.states.tolist()
    for name in ("visits", "seconds", "recent", "log_mean", "log_squares"):
        assert np.array_equal(getattr(found.experience, name), getattr(written.experience, name))


def replace_states(folder: Path, states: SiteStates, runs: int) -> None:
    """As if these had been written with the map."""
    states.write(folder / STATES)
    amend(folder, runs)


def amend(folder: Path, runs: int) -> None:
    """Have the manifest say what the states' file is now, and after how many runs."""
    told = json.loads((folder / MANIFEST).read_text())
    told["settings"]["runs"] = runs
    length, xxh3 = length_and_xxh3(folder / STATES)
    told["files"][STATES] = {"bytes": length, "xxh3": xxh3}
    (folder / MANIFEST).write_text(json.dumps(told))


@pytest.fixture
def map_of_two(tmp_path: Path) -> Path:
    session = crawled(tmp_path / "crawl", [*pages_of("a.example", 0, 3), *pages_of("b.example", 1, 3)])
    made(session, tmp_path / "map")
    return tmp_path / "map"


def test_damaged_states_are_refused(map_of_two: Path) -> None:
    path = map_of_two / STATES
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with pytest.raises(MapError, match=r"states.parquet: is [\d,]+ bytes long, not"):
        states_beside(map_of_two, 2)
    path.write_bytes(whole[:-9] + b"x" + whole[-8:])
    with pytest.raises(MapError, match=r"states.parquet: checksum mismatch"):
        states_beside(map_of_two, 2)
    amend(map_of_two, 1)
    with pytest.raises(MapError, match=r"states.parquet: cannot be read \("):
        states_beside(map_of_two, 2)
    path.unlink()
    with pytest.raises(MapError, match=r"states.parquet: No such file"):
        states_beside(map_of_two, 2)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"part": pa.array([0, 2], pa.uint16())}, "is damaged: a part is not below 2"),
        ({"part": pa.array([0, None], pa.uint16())}, "is damaged: values are missing"),
        ({"visits": pa.array([[1, 0], [1]])}, "is damaged: visits has not one value for each of 2 ranks"),
        ({"seconds": pa.array([[1.0, 0], [1.0, float("nan")]])}, "is damaged: seconds has something that is no number"),
        ({"recent": None}, r"cannot be read \(.*recent"),
    ],
)
def test_states_that_cannot_be(map_of_two: Path, change: dict[str, pa.Array | None], told: str) -> None:
    path = map_of_two / STATES
    table = pq.read_table(path)
    for name, column in change.items():
        place = table.schema.get_field_index(name)
        table = table.drop_columns(name) if column is None else table.set_column(place, name, column)
    pq.write_table(table, path)
    amend(map_of_two, 1)
    with pytest.raises(MapError, match=rf"states.parquet: {told}"):
        states_beside(map_of_two, 2)


def test_a_manifest_that_does_not_count_the_sessions(map_of_two: Path) -> None:
    amend(map_of_two, -1)
    with pytest.raises(MapError, match="does not say after how many runs"):
        states_beside(map_of_two, 2)


def test_a_map_of_sites_is_gone_on_from(tmp_path: Path) -> None:
    fetches = [*pages_of("a.example", 0, 3), *pages_of("b.example", 1, 3), *pages_of("c.example", 1, 3)]
    session = crawled(tmp_path / "crawl", fetches)
    for model in ("site", "site-packed", "page"):
        make_partition(session, model, 2, tmp_path / model, Settings(), progress=lambda _words: None)
    for model in ("site", "site-packed"):
        table = PartitionMap.open(tmp_path / model)
        states = states_beside(tmp_path / model, 2)
        assert sorted(states.sites) == ["a.example", "b.example", "c.example"]
        assert [table.part_of_site(f"http://{site}/") for site in states.sites] == states.standing.parts.tolist()
        assert not states.experience.visits.any()
        assert states.runs == 0
    with pytest.raises(MapError, match="page: is a map of --model page; --model twoma goes on from one of model twoma"):
        states_beside(tmp_path / "page", 2)
    with pytest.raises(MapError, match="site: has 2 parts, which says nothing of 3 ranks; name a map of 3"):
        states_beside(tmp_path / "site", 3)


def test_nothing_is_written_where_nothing_is_learnt(tmp_path: Path) -> None:
    session = crawled(tmp_path / "crawl", pages_of("a.example", 0, 3))
    edit_header(session, lambda header: header["configuration"].update({"import": "warc"}))
    with pytest.raises(TimesError):
        made(session, tmp_path / "new" / "map")
    assert not (tmp_path / "new").exists()
