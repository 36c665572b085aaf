"""Where bodies stood and where they stand now, and pages that say so."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.hash_arrays import places
from sessions.schema import TABLES

Offsets = npt.NDArray[np.int64]
_FILE, _OFFSET = "warc_file", "warc_offset"


@dataclass(frozen=True, slots=True)
class NowAt:
    """What has become of the bodies in a WARC file: they are in ``file`` now, or nowhere if that is None.

    Either all of them stand so many bytes (``shift``) later there; or those that stood at the offsets ``before``, in
    ascending order, stand at ``now``, and the others nowhere.
    """

    file: str | None
    shift: int = 0
    before: Offsets | None = None
    now: Offsets | None = None

    def of(self, offsets: Offsets) -> Offsets:
        """Where the bodies stand that stood at these offsets; -1 for nowhere."""
        if self.file is None:
            return np.full(len(offsets), -1, np.int64)
        if self.before is None or self.now is None:
            return offsets + self.shift
        if not len(self.before):
            return np.full(len(offsets), -1, np.int64)
        found = places(offsets, self.before)
        return np.where(found < 0, -1, self.now[found])


def with_bodies_at(places_now: Mapping[str, NowAt], rows: pa.RecordBatch) -> pa.RecordBatch:
    """Pages with the places of their bodies now; ``places_now`` has the rank's WARC files that changed, by name."""
    encoded = rows[_FILE].dictionary_encode()
    names = encoded.dictionary.to_pylist()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    offsets = rows[_OFFSET].fill_null(-1).to_numpy(zero_copy_only=False).copy()
    for code, name in enumerate(names):
        if name in places_now:
            its = codes == code
            offsets[its] = places_now[name].of(offsets[its])
    files = pa.array([places_now[name].file if name in places_now else name for name in names], pa.string())
    is_nowhere = pa.array(offsets < 0)
    told = {
        _FILE: pc.if_else(is_nowhere, pa.scalar(None, pa.string()), files.take(encoded.indices)),
        _OFFSET: pa.array(offsets, pa.int64(), mask=offsets < 0),
    }
    columns = [told.get(field.name, rows[field.name]) for field in rows.schema]
    return pa.RecordBatch.from_arrays(columns, schema=TABLES["pages"])


def names_of(rows: pa.RecordBatch) -> set[str]:
    """The WARC files that pages name."""
    return {name for name in pc.unique(rows[_FILE]).to_pylist() if name is not None}
