"""What stands out in a foresight, in sentences: they only say what its figures say."""

from collections.abc import Sequence

from crawler.replay.foresight.foresight import Foresight, Replayed
from crawler.replay.foresight.request import Candidate
from crawler.replay.foresight.view import View

LASTING = "prefix/prefix"
"""The way of which it is hoped that it lasts."""
PAPERS = "page/discoverer"
"""The way of Cambazoglu, Turk and Aykanat (2004): pages are cut, and who finds a page that is new owns it."""
_BASE = "page-hash"
_LEAST_SHARE = 0.01


def sentences(foresight: Foresight) -> list[str]:
    """What stands out in the last of the later sessions, which is the oldest where ages are known."""
    view, last = View(foresight), len(foresight.sessions) - 1
    previous, session = foresight.sessions[0], foresight.sessions[last]
    if last == 0:
        return [_bearable(view, 0, f"On {previous.name}, which the partitions are made from,")]
    told = [
        _how_new(previous, session),
        _bearable(view, 0, f"Predicted on {previous.name},"),
        _bearable(view, last, f"In {session.name}"),
        _chance(view, last),
        *_lasting_beside_papers(foresight, view, last),
        _overlap(view, last),
        _coverage(view, last),
        *_volume(view, last),
        *_drift(view, last),
    ]
    return [text for text in told if text]


def _how_new(previous: Replayed, session: Replayed) -> str:
    later = "" if session.age is None else f", {days(session.age)} later,"
    if not session.new_pages:
        return f"{session.name}{later} has {session.pages:,} pages and has no pages that {previous.name} has not."
    share = f"{session.new_pages:.0%}" if session.new_pages >= _LEAST_SHARE else "less than 1%"
    return (
        f"{session.name}{later} has {session.pages:,} pages, of which {share} are not in {previous.name}: "
        "no partition knows them, and the rule for unknown URLs says who owns them."
    )


def days(age: float) -> str:
    """An age in days as it is read."""
    return f"{age:,.0f} days" if abs(age) >= 10 else f"{age:.1f} days"


def _bearable(view: View, session: int, where: str) -> str:
    """Which ways stay within the tolerance at every K, and which at some."""
    limit = f"{view.tolerance:.0%} of balance, in bytes and in pages,"
    always: list[str] = []
    by_parts: dict[tuple[int, ...], list[str]] = {}
    for way, candidates in view.ways.items():
        parts = tuple(candidate.k for candidate in candidates if view.is_bearable(candidate, session))
        if len(parts) == len(view.parts):
            always.append(way)
        elif parts:
            by_parts.setdefault(parts, []).append(way)
    if len(always) == len(view.ways):
        return f"{where} every way stays within {limit} at every K."
    sometimes = [f"{_named(view, ways)} (K = {_listed(parts)})" for parts, ways in by_parts.items()]
    stays = "stays" if len(always) < 2 else "stay"
    first = f"{where} {_named(view, always) if always else 'no way'} {stays} within {limit} at every K"
    return f"{first}{f'; at some K, {_listed(sometimes)}' if sometimes else ''}."


def _chance(view: View, session: int) -> str:
    """How far beyond the tolerance even a hash of pages is: no way of sharing them is fairer without knowing them."""
    hashed = [candidate for candidate in view.ways.get(_BASE, []) if not view.is_bearable(candidate, session)]
    if not hashed:
        return ""
    worst = max(hashed, key=lambda candidate: view.imbalance(candidate, session))
    return (
        f"With so few pages even {_BASE}, which shares them by chance, is up to "
        f"{view.imbalance(worst, session):.0%} out of balance (K = {worst.k})."
    )


def _named(view: View, ways: Sequence[str]) -> str:
    """Ways in words: a model of which there are all rules is named once."""
    names: list[str] = []
    for model in view.models:
        own = [way for way in view.ways if way.partition("/")[0] == model]
        given = [way for way in own if way in ways]
        names += [f"{model} by any rule"] if given == own and len(own) > 1 else given
    return _listed(names)


def _lasting_beside_papers(foresight: Foresight, view: View, last: int) -> list[str]:
    """Does the prefix model with the rule by prefix last where the paper's way does not?"""
    told = [_verdict(view, way, last) for way in (LASTING, PAPERS) if way in view.ways]
    if LASTING not in view.ways or PAPERS not in view.ways:
        return told
    where = {session: _where_only_lasting(view, session) for session in range(1, last + 1)}
    if all(len(parts) == len(view.parts) for parts in where.values()):
        told.append("prefix/prefix keeps its balance in the later crawl, the paper's rule does not.")
    elif any(where.values()):
        found = [
            f"{_after(foresight.sessions[session])} (K = {_listed(parts)})" for session, parts in where.items() if parts
        ]
        told.append(f"prefix/prefix keeps its balance and the paper's rule does not {_listed(found)}; not elsewhere.")
    else:
        told.append(f"prefix/prefix is no better than the paper's rule here: {_why_not(view, last)}.")
    return told


def _where_only_lasting(view: View, session: int) -> list[int]:
    """The Ks at which the prefix model has no overlap and stays within the tolerance, and the paper's way does not."""
    both = zip(view.ways[LASTING], view.ways[PAPERS], strict=True)
    return [
        lasting.k
        for lasting, papers in both
        if not view.known("overlap", lasting, session)
        and view.is_bearable(lasting, session)
        and not view.is_bearable(papers, session)
    ]


def _why_not(view: View, session: int) -> str:
    if any(view.known("overlap", candidate, session) for candidate in view.ways[LASTING]):
        return "it fetches pages twice"
    is_lasting = all(view.is_bearable(candidate, session) for candidate in view.ways[LASTING])
    return "both keep their balance" if is_lasting else "it loses its balance too"


def _after(session: Replayed) -> str:
    return f"in {session.name}" if session.age is None else f"after {days(session.age)}"


def _verdict(view: View, way: str, session: int) -> str:
    """A way's overlap and its worst imbalance, and whether old or new pages make it."""
    candidates = view.ways[way]
    worst = max(candidates, key=lambda candidate: view.imbalance(candidate, session))
    overlaps = [float(view.known("overlap", candidate, session)) for candidate in candidates]
    subject = f"The paper's rule ({way})" if way == PAPERS else f"Whole directories, new ones by prefix ({way}),"
    twice = "no page" if not any(overlaps) else f"{_span(overlaps, '.1%')} of the pages"
    return (
        f"{subject} fetches {twice} twice, and its fullest rank has up to "
        f"{view.imbalance(worst, session):.0%} above the mean (K = {worst.k}).  {_why(view, worst, session)}."
    )


def _why(view: View, candidate: Candidate, session: int) -> str:
    known = float(view.known("known_requests_imbalance", candidate, session))
    new = float(view.known("new_on_fullest", candidate, session))
    place = view.crowded(candidate, session)
    return (
        f"The pages that its map holds are within {known:.0%} by themselves; {new:.0%} of what the fullest rank "
        f"fetches is new to the map{f', most of it in {place}' if place else ''}"
    )


def _overlap(view: View, session: int) -> str:
    by_rule: dict[str, list[float]] = {}
    for candidate in view.candidates:
        by_rule.setdefault(candidate.rule or "a hash", []).append(float(view.known("overlap", candidate, session)))
    with_overlap = [f"{rule} (up to {max(values):.1%})" for rule, values in by_rule.items() if max(values) > 0]
    if not with_overlap:
        return "No page is fetched twice under any rule."
    rest = "; no other rule does" if len(with_overlap) < len(by_rule) else ", that is under all"
    return f"Pages are fetched twice under {_listed(with_overlap)}{rest}."


def _coverage(view: View, session: int) -> str:
    """Is anything not fetched, as where links to other ranks are dropped?"""
    worst = min(view.candidates, key=lambda candidate: view.known("coverage", candidate, session))
    least = float(view.known("coverage", worst, session))
    return f"Not all that was discovered is fetched: as little as {least:.1%} ({worst})." if least < 1 else ""


def _volume(view: View, session: int) -> list[str]:
    """Which way without overlap sends least at the largest K, and which of those within the tolerance."""
    k = view.parts[-1]
    base = view.value("wire_bytes_per_page", Candidate(_BASE, None, k), session)
    apart = [
        candidate for candidate in view.candidates if candidate.k == k and not view.known("overlap", candidate, session)
    ]
    if not base or not apart:
        return []

    def told(candidate: Candidate) -> str:
        wire = float(view.known("wire_bytes_per_page", candidate, session))
        return f"{candidate.way} with {wire:,.1f} bytes on the wire a page, {wire / base:.0%} of {_BASE}'s"

    def wire_of(candidate: Candidate) -> float:
        return float(view.known("wire_bytes_per_page", candidate, session))

    least = min(apart, key=wire_of)
    fair = [candidate for candidate in apart if view.is_bearable(candidate, session)]
    first = f"Without overlap, at K = {k} least is sent by {told(least)}"
    if not fair:
        return [f"{first}; none is within the tolerance."]
    within = min(fair, key=wire_of)
    return [f"{first}{'' if within == least else f'; within the tolerance, by {told(within)}'}."]


def _drift(view: View, session: int) -> list[str]:
    """How far the sent bytes of ways with a map are from their prediction."""
    ratios = {}
    for candidate in view.candidates:
        was = float(view.known("wire_bytes_per_page", candidate, 0))
        if candidate.needs_map and was > 0:
            ratios[candidate] = float(view.known("wire_bytes_per_page", candidate, session)) / was
    if not ratios:
        return []
    low, high = min(ratios, key=ratios.__getitem__), max(ratios, key=ratios.__getitem__)
    return [
        f"What is sent for a page is {ratios[low]:.1f} ({low}) to {ratios[high]:.1f} times ({high}) what was predicted."
    ]


def _span(values: Sequence[float], form: str) -> str:
    low, high = format(min(values), form), format(max(values), form)
    return low if low == high else f"{low} to {high}"


def _listed(items: Sequence[object]) -> str:
    texts = [str(item) for item in items]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
