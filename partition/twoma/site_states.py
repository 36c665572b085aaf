"""Where sites stand and what they took so far, from one session to the next: `states.parquet` beside a map."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from partition.choices import LEARNT_MODELS, WHOLE_SITES
from partition.map.manifest import PARTS_TABLE, Manifest, MapError, read_manifest
from partition.twoma.experience import Experience, Numbers
from partition.twoma.learner import Standing

STATES = "states.parquet"
RUNS = "runs"
"""The setting of a map's manifest that says how many sessions were learnt from."""
_OF_RANKS = {
    "visits": pa.int64(),
    "seconds": pa.float64(),
    "recent": pa.float64(),
    "log_mean": pa.float64(),
    "log_squares": pa.float64(),
}
SCHEMA = pa.schema(
    [
        ("site", pa.string()),
        ("part", pa.uint16()),
        ("state", pa.uint16()),
        *((name, pa.list_(kind)) for name, kind in _OF_RANKS.items()),
    ]
)
"""The columns; the lists have an item for each rank, as `partition.twoma.experience.Experience` has them."""


@dataclass(frozen=True)
class SiteStates:
    """What is known of n sites after ``runs`` sessions: where they stand, and what they took.

    In memory are 40 bytes for each site and rank, and the names.
    """

    sites: list[str]
    standing: Standing
    experience: Experience
    runs: int

    @classmethod
    def none(cls, k: int) -> "SiteStates":
        """Return the states before the first session of ``k`` ranks."""
        nobody = np.zeros(0, np.int64)
        return cls([], Standing(nobody, nobody), Experience.none(0, k), 0)

    def write(self, path: Path) -> None:
        """Write the file `STATES`."""
        lists = [_as_lists(getattr(self.experience, name), kind) for name, kind in _OF_RANKS.items()]
        columns = [
            pa.array(self.sites, pa.string()),
            pa.array(self.standing.parts.astype(np.uint16)),
            pa.array(self.standing.states.astype(np.uint16)),
            *lists,
        ]
        pq.write_table(pa.table(columns, schema=SCHEMA), path, compression="ZSTD", write_statistics=False)


def states_beside(folder: Path, k: int) -> SiteStates:
    """Return the states beside a map of whole sites; of a map that was cut, its sites in state 0, never measured.

    Raises MapError if the folder is no such map, has another number of parts than ``k``, or is damaged.
    """
    manifest = read_manifest(folder)
    model = manifest.origin.model
    if model not in WHOLE_SITES:
        raise MapError(
            f"{folder}: is a map of --model {model}; --model twoma goes on from one of model twoma or site, or "
            "without --previous-map"
        )
    if manifest.parts != k:
        raise MapError(f"{folder}: has {manifest.parts} parts, which says nothing of {k} ranks; name a map of {k}")
    if model in LEARNT_MODELS:
        return read_states(folder, manifest)
    return _of_whole_sites(folder, manifest)


def read_states(folder: Path, manifest: Manifest) -> SiteStates:
    """Return the states beside a map.  Raises MapError if they are missing or damaged."""
    manifest.check_beside(folder, STATES)
    path, k = folder / STATES, manifest.parts
    table = _table(path, SCHEMA)
    sites, parts, states = (table[name] for name in ("site", "part", "state"))
    values = {name: _as_array(path, name, table[name], k) for name in _OF_RANKS}
    found = SiteStates(
        sites.to_pylist(),
        Standing(parts.to_numpy().astype(np.int64), states.to_numpy().astype(np.int64)),
        Experience(**values),
        _runs(folder, manifest),
    )
    if found.sites and int(found.standing.parts.max()) >= k:
        raise MapError(f"{path}: is damaged: a part is not below {k}; name another --previous-map, or leave it out")
    return found


def _of_whole_sites(folder: Path, manifest: Manifest) -> SiteStates:
    names = [name for name in manifest.files if Path(name).parts[0] == PARTS_TABLE]
    tables = []
    for name in names:
        manifest.check_beside(folder, name)
        tables.append(_table(folder / name, pa.schema([("key", pa.string()), ("part", pa.uint16())])))
    part_of = {
        site: part
        for table in tables
        for site, part in zip(table["key"].to_pylist(), table["part"].to_pylist(), strict=True)
    }
    parts = np.array(list(part_of.values()), np.int64)
    standing = Standing(parts, np.zeros(len(parts), np.int64))
    return SiteStates(list(part_of), standing, Experience.none(len(parts), manifest.parts), 0)


def _table(path: Path, schema: pa.Schema) -> pa.Table:
    """A Parquet file with these columns, none of them null."""
    try:
        table = pq.read_table(path, columns=schema.names, partitioning=None).cast(schema)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise MapError(f"{path}: cannot be read ({str(error).splitlines()[0]})") from error
    if any(column.null_count for column in table.columns):
        raise MapError(f"{path}: is damaged: values are missing")
    return table


def _runs(folder: Path, manifest: Manifest) -> int:
    runs: Any = manifest.origin.settings.get(RUNS)
    if not isinstance(runs, int) or runs < 0:
        raise MapError(f"{folder}: its manifest does not say after how many runs the states of its sites are")
    return runs


def _as_lists(values: npt.NDArray[Any], kind: pa.DataType) -> pa.ListArray:
    """A list for each row, of numbers [n, k]."""
    count, k = values.shape
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1, dtype=np.int32) * k), pa.array(values.ravel(), kind))


def _as_array(path: Path, name: str, column: pa.ChunkedArray, k: int) -> npt.NDArray[Any]:
    lists = column.combine_chunks()
    lengths: Numbers = np.asarray(lists.value_lengths())
    if lengths.size and not np.all(lengths == k):
        raise MapError(f"{path}: is damaged: {name} has not one value for each of {k} ranks")
    values: npt.NDArray[Any] = lists.flatten().to_numpy(zero_copy_only=False).copy()
    if not np.all(np.isfinite(values)):
        raise MapError(f"{path}: is damaged: {name} has something that is no number")
    return values.reshape((len(lists), k))
