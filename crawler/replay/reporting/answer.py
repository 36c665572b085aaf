"""What an assignment costs, or which of several costs least, as the report of replays answers it."""

from collections.abc import Sequence
from shlex import quote

from crawler.replay.measuring.figures import BY_NAME
from crawler.replay.measuring.rank_totals import rank_totals
from crawler.replay.recording import Recording
from crawler.replay.reporting.entry import TOLERANCE, ReportEntry, looks_of, shown_of
from partition.report.answer import Answer, Bar
from partition.report.markup import size
from partition.report.scales import percent, scale_for

_BASE = "page-hash"
_MOST_RANKS = 12


def answer_of(entries: Sequence[ReportEntry], recording: Recording, session: str) -> Answer:
    """Return the answer of at least one entry; ``session`` is how the next command names the recorded session."""
    most = max(entry.k for entry in entries)
    at_k = {entry.model: entry for entry in entries if entry.k == most}
    if len(entries) == 1:
        return _of_one(entries[0], recording, session)
    return _of_several(list(at_k.values()), recording, session)


def _of_one(entry: ReportEntry, recording: Recording, session: str) -> Answer:
    name = recording.session.path.resolve().name
    bars = _rank_bars(entry, recording)
    return Answer(
        f"Under {entry.model}, {_ranks(entry.k)} {_fetched(entry, recording)} of {name}: the fullest rank has "
        f"{percent(_imbalance(entry))} more than the mean of bytes or of pages, and "
        f"{entry.measures.wire_bytes_per_page:,.1f} bytes go between ranks for each page.",
        f"What each rank fetches, by {'bytes' if _is_by_bytes(entry) else 'pages'}; even is better",
        bars,
        (f"cutweb replay {quote(session)} --estimate --models all --parts {entry.k} --out replays-in-{entry.k}",),
        "compare it with all other models",
    )


def _ranks(k: int) -> str:
    return "one rank" if k == 1 else f"{k:,} ranks"


def _fetched(entry: ReportEntry, recording: Recording) -> str:
    verb = "fetches" if entry.k == 1 else "fetch"
    measures = entry.measures
    whole = measures.coverage >= 1
    share = f"all {recording.page_count:,} pages" if whole else f"{measures.coverage:.1%} of the pages"
    twice = f" ({percent(measures.overlap)} of them twice)" if measures.overlap > 0 else ""
    return f"{verb} {share}{twice}"


def _rank_bars(entry: ReportEntry, recording: Recording) -> list[Bar]:
    """A bar for each rank, or for the fullest and the emptiest of many."""
    if entry.course is None or entry.k == 1:
        return []
    totals = rank_totals(recording, entry.course)
    fetches, received = totals.fetches.tolist(), totals.bytes.tolist()
    loads = received if _is_by_bytes(entry) else fetches
    shown = list(range(entry.k))
    if entry.k > _MOST_RANKS:
        by_load = sorted(shown, key=lambda rank: -loads[rank])
        shown = [*by_load[: _MOST_RANKS // 2], *by_load[-_MOST_RANKS // 2 :]]
    look = looks_of([entry.model])[entry.model]
    return [
        Bar(f"rank {rank}", loads[rank], f"{fetches[rank]:,} pages, {size(received[rank])}", look) for rank in shown
    ]


def _is_by_bytes(entry: ReportEntry) -> bool:
    """Are the ranks further apart in bytes than in pages?"""
    return entry.measures.storage_imbalance > entry.measures.requests_imbalance


def _of_several(entries: Sequence[ReportEntry], recording: Recording, session: str) -> Answer:
    """The way that sends least of those that are in balance and fetch everything once."""
    name, k = recording.session.path.resolve().name, entries[0].k
    by_wire = sorted(entries, key=lambda entry: entry.measures.wire_bytes_per_page)
    fair = [entry for entry in by_wire if not _fault(entry)]
    looks = looks_of(shown_of([entry.model for entry in entries]))
    scale = scale_for(BY_NAME["wire_bytes_per_page"], [entry.measures.wire_bytes_per_page for entry in entries])
    return Answer(
        _best(fair, entries, name) if fair else _none_fair(entries, name),
        f"Bytes on the wire a page (what ranks send each other), {k} ranks; less is better",
        [
            Bar(
                entry.model,
                entry.measures.wire_bytes_per_page,
                scale.text(entry.measures.wire_bytes_per_page),
                looks.get(entry.model, ""),
                _fault(entry),
                bool(_fault(entry)),
            )
            for entry in (*fair, *(entry for entry in by_wire if _fault(entry)))
        ],
        (f"cutweb advise {quote(session)} --ranks {k}",) if k > 1 else (),
        "judge these for pages that will be new",
    )


def _best(fair: Sequence[ReportEntry], entries: Sequence[ReportEntry], name: str) -> str:
    best, wire = fair[0], fair[0].measures.wire_bytes_per_page
    base = next((entry.measures.wire_bytes_per_page for entry in entries if entry.model == _BASE), 0.0)
    beside = f", {percent(wire / base)} of what {_BASE} sends" if base and best.model != _BASE else ""
    return (
        f"Of {len(entries)} ways to share {name} among {_ranks(best.k)}, {best.model} sends least of those whose "
        f"fullest rank is at most {TOLERANCE:.0%} above the mean: {wire:,.1f} bytes a page{beside}; its fullest rank "
        f"has {percent(_imbalance(best))} more than the mean."
    )


def _none_fair(entries: Sequence[ReportEntry], name: str) -> str:
    nearest = min(entries, key=_imbalance)
    return (
        f"None of {len(entries)} ways to share {name} among {_ranks(nearest.k)} keeps the fullest rank within "
        f"{TOLERANCE:.0%} of the mean and fetches every page once; {nearest.model} is most even: its fullest rank has "
        f"{percent(_imbalance(nearest))} more than the mean, and {nearest.measures.wire_bytes_per_page:,.1f} bytes go "
        "between ranks for each page."
    )


def _fault(entry: ReportEntry) -> str:
    """Why an entry cannot be the best; "" if it can."""
    if _imbalance(entry) > TOLERANCE:
        return f"fullest rank {percent(_imbalance(entry))} above the mean"
    if entry.measures.overlap > 0:
        return f"{percent(entry.measures.overlap)} of the pages fetched twice"
    if entry.measures.coverage < 1 and not entry.is_cut_off:
        return f"only {entry.measures.coverage:.1%} of the pages fetched"
    return ""


def _imbalance(entry: ReportEntry) -> float:
    return max(entry.measures.storage_imbalance, entry.measures.requests_imbalance)
