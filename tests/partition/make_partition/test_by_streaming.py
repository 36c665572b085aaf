"""From a session to a map by streaming: what its manifest says, and that a failure leaves nothing."""

from pathlib import Path

import pytest

from partition.graphs.link_graph import GraphError
from partition.make_partition.by_streaming import make_partition_by_streaming
from partition.map.manifest import MapError
from partition.map.partition_map import PartitionMap
from partition.models.settings import Settings
from tests.partition.quality.support.definitions import check_map, imbalance_by_definition
from tests.partition.quality.support.webs import ring

WEB = ring()


def silent(_: str) -> None:
    pass


def test_a_map_by_streaming_has_the_figures_of_its_pages(session: Path, tmp_path: Path) -> None:
    settings = Settings(tolerance=0.3, seed=9, shares=(1.0, 2.0, 1.0))
    made = make_partition_by_streaming(session, 3, tmp_path / "map", settings, batch_pages=7, progress=silent)
    table = PartitionMap.open(tmp_path / "map")
    origin = table.manifest.origin
    assert made.manifest == table.manifest
    assert (made.pages, table.manifest.urls, origin.model, origin.objective) == (
        len(WEB.sizes),
        len(WEB.sizes),
        "page",
        "sent",
    )
    assert origin.settings["streaming"]
    assert origin.settings["batches"] > 3
    own = check_map(table, WEB)
    assert tuple(origin.imbalances) == ("bytes", "requests")
    for name, weights in (("bytes", WEB.sizes), ("requests", dict.fromkeys(WEB.sizes, 1))):
        assert origin.imbalances[name] == pytest.approx(imbalance_by_definition(weights, own, (1.0, 2.0, 1.0)))
        assert origin.imbalances[name] <= 0.3 + 1e-9
    assert origin.settings["is_balanced"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map"]


def test_streaming_that_fails_leaves_nothing(session: Path, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="41 parts of 40 pages: some would be empty"):
        make_partition_by_streaming(session, 41, tmp_path / "map", Settings(), progress=silent)
    assert not list(tmp_path.iterdir())
    with pytest.raises(MapError, match="No such file or directory"):
        make_partition_by_streaming(session, 3, tmp_path / "none" / "map", Settings(), progress=silent)
