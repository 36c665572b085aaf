"""Merging results: each is examined, what is good becomes a new session, and the ledger says what became of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crawler.work.examination import Examined, Received, examine
from crawler.work.export import checked_worklist
from crawler.work.ledger import Ledger, MergedUnit, RefusedUnit, locked, present
from crawler.work.merged_session import ASSIGNMENT, write_merged
from crawler.work.overlap import Comparison, compare, distrusted
from crawler.work.refusals import Refusal
from crawler.work.units_folder import units_folder
from crawler.work.volunteers import read_volunteers
from crawler.worklist.worklist import Worklist
from sessions.session import check_claimable, new_run_id
from sessions.storage.durable_json import dumped
from sessions.storage.temporary_folder import scratch_folder
from sessions.writing.atomic_folder import whole_folder
from sessions.writing.commit import claim

SUMMARY = "merge.json"
FORMAT_VERSION = 1
SLOT_HOURS = 24.0


@dataclass(frozen=True)
class MergeSettings:
    """``slot_hours``: between two fetches that are compared.

    ``distrust``: the share of differences from which on a volunteer's units are refused; None for never.
    """

    slot_hours: float = SLOT_HOURS
    distrust: float | None = None


@dataclass
class MergedResults:
    """What became of results: those in the session, in order of rank, those refused, and what was compared."""

    accepted: list[Examined] = field(default_factory=list)
    refused: list[tuple[Path, Refusal]] = field(default_factory=list)
    compared: dict[int, Comparison] = field(default_factory=dict)
    """By unit that repeats another."""

    def drop_distrusted(self, reasons: Mapping[str, str]) -> None:
        """Refuse what volunteers have handed in who are not trusted, for reasons by public key."""
        for result in [one for one in self.accepted if one.volunteer.key in reasons]:
            self.accepted.remove(result)
            why = Refusal("distrusted", f"{result.volunteer.name}: {reasons[result.volunteer.key]}")
            self.refused.append((result.path, why.of(result.line.unit, result.volunteer.key)))


def merge(
    worklist_path: Path,
    results: Sequence[Path],
    volunteers: Path,
    out: Path,
    settings: MergeSettings,
    units: Path | None = None,
) -> MergedResults:
    """Make the session ``out`` of the results in which nothing is wrong, and note in the ledger what became of each.

    There is no session if all are refused.  ``units`` is the folder that they were exported to, if it was moved since.
    Raises WorklistError, WorkError, SessionError and OSError, having changed nothing.
    """
    worklist = checked_worklist(worklist_path)
    check_claimable(out)
    known = read_volunteers(volunteers)
    for path in results:
        path.open("rb").close()
    folder = units_folder(worklist_path, units)
    above = next(path for path in out.absolute().parents if path.is_dir())
    with locked(folder) as ledger, scratch_folder(".cutweb-merge-", above) as scratch:
        received = Received(folder, worklist.identity, ledger.ledger, known, present())
        merged = _examined(results, received, scratch)
        for result in merged.accepted:
            if result.line.repeats is not None:
                merged.compared[result.line.unit] = compare(result, ledger.ledger, settings.slot_hours)
        if settings.distrust is not None:
            comparisons = list(merged.compared.values())
            merged.drop_distrusted(distrusted(comparisons, ledger.ledger, settings.distrust))
        at = received.at.isoformat(timespec="seconds")
        if merged.accepted:
            _write(out, worklist, worklist_path, merged, at)
        ledger.append([*_merged_lines(merged, out, at), *_refused_lines(merged, ledger.ledger, at)])
    return merged


def _examined(results: Sequence[Path], received: Received, scratch: Path) -> MergedResults:
    merged = MergedResults()
    units: set[int] = set()
    for number, path in enumerate(results):
        try:
            result = examine(path, received, scratch / f"{number:06d}")
            if result.line.unit in units:
                raise Refusal("twice", f"unit {result.line.unit} is given twice")
            units.add(result.line.unit)
            merged.accepted.append(result)
        except Refusal as refusal:
            merged.refused.append((path, refusal))
    return merged


def _write(out: Path, worklist: Worklist, path: Path, merged: MergedResults, at: str) -> None:
    with whole_folder(out) as partial:
        header = claim(
            partial,
            run=new_run_id(),
            ranks=len(merged.accepted),
            assignment=ASSIGNMENT,
            configuration={"worklist": str(path.resolve()), "worklist_identity": worklist.identity},
            previous=worklist.last_session.path or None,
            seeds=worklist.seeds,
        )
        write_merged(partial, header, merged.accepted)
        (partial / SUMMARY).write_text(dumped(_summary(worklist, merged, at)), encoding="utf-8")


def _summary(worklist: Worklist, merged: MergedResults, at: str) -> dict[str, Any]:
    """The content of merge.json; docs/formats.md names the keys."""
    return {
        "format": FORMAT_VERSION,
        "worklist": worklist.identity,
        "received": at,
        "units": [
            {
                "unit": result.line.unit,
                "rank": rank,
                "name": result.volunteer.name,
                "key": result.volunteer.key,
                "urls": len(result.unit.urls),
                "repeats": result.line.repeats,
            }
            for rank, result in enumerate(merged.accepted)
        ],
        "refused": [
            {"result": path.name, "unit": why.unit, "key": why.key, "reason": why.reason, "text": str(why)}
            for path, why in merged.refused
        ],
        "overlap": [
            {
                "unit": unit,
                "compared": comparison.compared,
                "problem": comparison.problem or None,
                "differing": list(comparison.differing),
            }
            for unit, comparison in merged.compared.items()
        ],
    }


def _merged_lines(merged: MergedResults, out: Path, at: str) -> list[MergedUnit]:
    lines = []
    for rank, result in enumerate(merged.accepted):
        line = MergedUnit(result.line.unit, result.volunteer.key, result.volunteer.name, at, str(out.resolve()), rank)
        comparison = merged.compared.get(result.line.unit)
        if comparison is not None:
            line = line._replace(
                compared=comparison.compared, differing=len(comparison.differing), other=comparison.first
            )
        lines.append(line)
    return lines


def _refused_lines(merged: MergedResults, ledger: Ledger, at: str) -> list[RefusedUnit]:
    """A line for each refused result of a unit that is known, and was not merged before or with these."""
    known = [why for _, why in merged.refused if why.unit is not None and why.unit not in ledger.merged]
    return [RefusedUnit(why.unit, why.key, at, why.reason) for why in known if why.unit is not None]
