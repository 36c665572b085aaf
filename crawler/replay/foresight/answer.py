"""How partitions of one session did in a later one, as a foresight answers it."""

from shlex import quote

from crawler.replay.foresight.figures import OVERLAP
from crawler.replay.foresight.foresight import Foresight
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import View
from partition.report.answer import Answer, Bar
from partition.report.scales import percent

_BASE = "page-hash"
WIRE = "wire_bytes_per_page"


def answer_of(foresight: Foresight, session: str) -> Answer:
    """Return the answer at the largest K in the last session, which the next command names ``session``."""
    view, last = View(foresight), len(foresight.sessions) - 1
    shown = sorted(best_of_models(view, last), key=lambda candidate: view.imbalance(candidate, last))
    k = view.parts[-1]
    return Answer(
        _sentence(foresight, view, shown) if shown else f"Every way fetches pages twice on {k} ranks.",
        f"What the fullest of {k} ranks has above the mean, bytes or pages, in {foresight.sessions[last].name}; "
        "less is better",
        [_bar(view, candidate, last) for candidate in shown],
        (f"cutweb advise {quote(session)} --ranks {k}",) if k > 1 else (),
        f"choose for the crawl after {foresight.sessions[last].name}",
    )


def best_of_models(view: View, session: int) -> list[Candidate]:
    """Of each model the rule that turned out most even at the largest K, of those by which no page is fetched twice."""
    k = view.parts[-1]
    best: dict[str, Candidate] = {}
    for candidate in view.candidates:
        if candidate.k != k or view.known(OVERLAP, candidate, session):
            continue
        other = best.get(candidate.model)
        if other is None or view.imbalance(candidate, session) < view.imbalance(other, session):
            best[candidate.model] = candidate
    return list(best.values())


def told(view: View, candidate: Candidate, session: int) -> str:
    """A candidate's balance as it was foreseen and as it came, and what it sends."""
    was, now = (percent(view.imbalance(candidate, number)) for number in (0, session))
    wire = float(view.known(WIRE, candidate, session))
    foreseen = f" ({was} was predicted)" if session else ""
    return f"{now} above the mean{foreseen}, for {wire:,.1f} bytes on the wire a page"


def _sentence(foresight: Foresight, view: View, shown: list[Candidate]) -> str:
    """What was most even, the best map or page hash beside it, and what another rule would have made of the map."""
    last = len(foresight.sessions) - 1
    best = shown[0]
    cut_from = f", cut from {foresight.sessions[0].name}," if best.needs_map else ""
    said = (
        f"On {best.k} ranks in {foresight.sessions[last].name}, {best.way}{cut_from} is most even: its fullest rank is "
        f"{told(view, best, last)}"
    )
    beside = next((one for one in shown if (one.needs_map if best.model == _BASE else one.model == _BASE)), None)
    if beside is not None:
        said += f"; {beside.way} is {told(view, beside, last)}"
    return f"{said}.{_rule_matters(view, best if best.needs_map else beside, last)}"


def _rule_matters(view: View, candidate: Candidate | None, session: int) -> str:
    """What the same map is like when new pages go by the worst of the other rules, if that is another thing."""
    if candidate is None or not candidate.needs_map or not session:
        return ""
    same = [one for one in view.candidates if (one.model, one.k) == (candidate.model, candidate.k)]
    worst = max(same, key=lambda one: view.imbalance(one, session))
    now, then = view.imbalance(candidate, session), view.imbalance(worst, session)
    if then < 2 * now:
        return ""
    return f" The rule for new pages decides: by {worst.rule} instead of {candidate.rule} it has {percent(then)}."


def _bar(view: View, candidate: Candidate, session: int) -> Bar:
    now = view.imbalance(candidate, session)
    wire = float(view.known(WIRE, candidate, session))
    foreseen = f"{percent(view.imbalance(candidate, 0))} was predicted; " if session else ""
    is_out = not view.is_bearable(candidate, session)
    return Bar(candidate.way, now, percent(now), candidate.model, f"{foreseen}{wire:,.1f} B a page sent", is_out)
