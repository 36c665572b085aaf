"""Links whose target is not there: JoMaGic's broken links."""

import numpy as np

from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import Numbers, SessionArrays
from sessions.hash_arrays import hashes_of, places

BROKEN_LINKS = ReportFigure(
    "broken_links",
    "Documents and links",
    "Broken links",
    "Distinct links, and the distinct URLs that they lead to, by what the target answered the last time: broken are "
    "404 and 410. Those that were never requested may be broken, too; shares are of all.",
    ("target", "links", "share_of_links", "targets", "share_of_targets"),
    shown=7,
)
KINDS = ("404 or 410", "other 4xx", "5xx", "failed", "2xx", "3xx", "never requested")
_BROKEN, _CLIENT, _SERVER, _FAILED, _GOOD, _REDIRECT, _UNKNOWN = range(len(KINDS))
_GONE = (404, 410)
_BY_HUNDREDS = {2: _GOOD, 3: _REDIRECT, 4: _CLIENT, 5: _SERVER}


def broken_links_of(arrays: SessionArrays) -> list[Row]:
    """Links and their targets, by the `KINDS` of what became of the target."""
    if arrays.is_graph:
        raise NotKnownError("an imported graph tells no answers")
    targets = arrays.links.targets
    if not len(targets):
        raise NotKnownError("it has no links")
    kinds = np.concatenate([_kinds_of_pages(arrays), _kinds_of_others(arrays)])
    linked = np.bincount(targets, minlength=len(kinds))
    links = np.bincount(kinds, weights=linked, minlength=len(KINDS))
    urls = np.bincount(kinds[linked > 0], minlength=len(KINDS))
    return [
        (kind, int(links[at]), links[at] / links.sum(), int(urls[at]), urls[at] / urls.sum())
        for at, kind in enumerate(KINDS)
    ]


def _kinds_of_pages(arrays: SessionArrays) -> Numbers:
    status = arrays.last_status
    kinds = np.full(len(status), _UNKNOWN, np.int64)
    for hundreds, kind in _BY_HUNDREDS.items():
        kinds[status // 100 == hundreds] = kind
    kinds[np.isin(status, _GONE)] = _BROKEN
    return kinds


def _kinds_of_others(arrays: SessionArrays) -> Numbers:
    kinds = np.full(len(arrays.other_hashes), _UNKNOWN, np.int64)
    for batch in arrays.session.batches("outcomes", ["hash", "state"]):
        failed = hashes_of(batch, "hash")[np.array(batch["state"].to_pylist()) == "failed"]
        place = places(failed, arrays.other_hashes)
        kinds[place[place >= 0]] = _FAILED
    return kinds
