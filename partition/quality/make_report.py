"""Making a quality report: from a session to a folder."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from partition.graphs.link_graph import link_graph
from partition.graphs.site_seconds import with_seconds
from partition.map.partition_map import PartitionMap
from partition.quality.csv_files import results_as_csv, trials_as_csv
from partition.quality.dataset import data_set
from partition.quality.html_page import as_html
from partition.quality.mean_results import summed_up
from partition.quality.migration import migration_curve
from partition.quality.report import Report
from partition.quality.request import QualityRequest, migration_trials, trials_of
from partition.quality.trials import Progress, run_trials
from partition.report.results import lines_of
from partition.twoma.rank_seconds import with_measured_seconds
from sessions.session import Session, check_claimable
from sessions.storage.temporary_folder import scratch_folder
from sessions.version import software_version
from sessions.writing.atomic_folder import whole_folder

PAGE, RECORD, RESULTS, TRIALS = "report.html", "report.json", "results.csv", "trials.csv"
MIGRATION = "migration.csv"


class ReportError(Exception):
    """A report that cannot be made; the message is one line that says why."""


def make_report(
    session: Path,
    request: QualityRequest,
    out: Path,
    progress: Progress | None = None,
    told: Callable[[list[str]], None] = lambda lines: None,
) -> Report:
    """Run all trials of a request on a session and write their report into ``out``, which is absent or empty.

    ``told`` is given a line for each reason for which something is left out of it, before the work if that is known.

    Raises SessionError if there is no session or ``out`` is taken, GraphError if it has no graph, TimesError if seconds
    are to be balanced and none are on record, ReportError if no model can be computed, MapError if the previous map is
    none or there is no room for the maps, OSError if ``out`` cannot be written.  Nothing of ``out`` is then left.
    """
    check_claimable(out)  # before the work, not after it
    previous = PartitionMap.open(request.previous) if request.previous else None
    opened = Session.open(session)
    graph = link_graph(opened)
    if request.site_seconds is not None:
        graph = with_seconds(graph, Path(request.site_seconds))
    elif "seconds" in request.settings.balance:
        graph = with_measured_seconds(graph, opened)
    trials, left_out = trials_of(request, graph)
    told(lines_of(left_out))
    of_curve = migration_trials(request, graph, previous.parts) if previous else []
    with whole_folder(out) as partial:
        with scratch_folder("maps-", partial) as scratch:
            all_outcomes = run_trials(graph, [*trials, *of_curve], request, scratch, progress)
        outcomes, points = all_outcomes[: len(trials)], all_outcomes[len(trials) :]
        results, further = summed_up(outcomes)
        told(lines_of(further))
        left_out += further
        if not results:
            raise ReportError(f"{session}: nothing to report; {lines_of(left_out)[0]}")
        report = Report(
            data=data_set(opened, graph),
            made=datetime.now(UTC).isoformat(timespec="seconds"),
            software=f"cutweb {software_version()}",
            request=request,
            results=results,
            outcomes=outcomes,
            left_out=left_out,
            migration=migration_curve(graph, previous, request, points) if previous else None,
        )
        (partial / RECORD).write_text(json.dumps(report.as_dict(), indent=1) + "\n", encoding="utf-8")
        (partial / RESULTS).write_text(results_as_csv(results), encoding="utf-8")
        (partial / TRIALS).write_text(trials_as_csv(outcomes), encoding="utf-8")
        if report.migration:
            (partial / MIGRATION).write_text(report.migration.as_csv(), encoding="utf-8")
        (partial / PAGE).write_text(as_html(report), encoding="utf-8")
    return report
