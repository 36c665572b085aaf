"""The page of one partition, as `cutweb partition --html` writes it: the answer, the figures, the cut to look at."""

from collections.abc import Sequence
from html import escape
from itertools import count

from crawler.commands.partition_in_words import learnt_in_words, seconds_in_words
from partition.choices import BALANCED, LEARNT_MODELS
from partition.make_partition.made_partition import MadePartition
from partition.measures.traffic import Traffic
from partition.models.rank_speeds import shares_in_words
from partition.models.tolerances import imbalances_in_words, tolerances_in_words
from partition.picture.cut_section import CUT_STYLE, cut_section
from partition.report.answer import Answer, Bar, answer_as_html
from partition.report.markup import document, facts, heading, warnings_as_html
from partition.report.scales import percent
from partition.report.style import STYLE
from partition.twoma.rank_seconds import RANK_SECONDS


def as_html(made: MadePartition, session: str, warnings: Sequence[str], crawl: str, written: str) -> str:
    """The whole page of a partition that was made with a look at it.

    ``session`` is the session's name, ``warnings`` what has to be known before the figures, ``crawl`` the command of
    the crawl by this map, and ``written`` the date that the page tells.
    """
    assert made.look is not None
    title = f"{session} in {made.partition.k:,} part{'s' if made.partition.k > 1 else ''}"
    return document(
        title,
        STYLE + CUT_STYLE,
        [
            heading(title, written),
            warnings_as_html(warning.removesuffix(".") for warning in warnings),
            answer_as_html(answer_of(made, session, crawl)),
            _facts(made),
            "<h2>The cut, to look at</h2>",
            cut_section(made.look.portrait, count(1)),
            _foot(),
        ],
    )


def answer_of(made: MadePartition, session: str, crawl: str) -> Answer:
    """Return what the parts send each other, beside what they would by page hash, and how even they are."""
    assert made.look is not None
    k, model = made.partition.k, made.partition.model
    if k == 1:
        return Answer(f"One rank owns all {made.pages:,} known pages of {session}.", "", [], (crawl,), "crawl by it")
    unit = "bytes of URLs" if made.has_urls else ("URLs" if made.settings.objective == "sent" else "links")
    counted = "each once" if made.settings.objective == "sent" else "for every link"
    volume, hashed = (_volume(traffic, made) for traffic in (made.measures.pages, made.look.by_page_hash))
    beside = f", {percent(volume / hashed)} of what they would by page-hash" if hashed else ""
    worst = max(made.measures.imbalances[name] for name in BALANCED)
    return Answer(
        f"The {made.pages:,} known pages of {session} are shared among {k:,} ranks by {model}: they send each other "
        f"{volume:,} {unit}{beside}, and no rank has more than {percent(worst)} above its share of bytes or of pages.",
        f"What {k:,} ranks send each other ({unit}, {counted}); less is better",
        [
            Bar(f"this map, by {model}", volume, f"{volume:,}", model),
            Bar("page-hash", hashed, f"{hashed:,}", "page-hash"),
        ],
        (crawl,),
        "crawl by it",
    )


def _volume(traffic: Traffic, made: MadePartition) -> int:
    if made.settings.objective == "sent":
        return traffic.sent_bytes if made.has_urls else traffic.sent_links
    return traffic.cut_bytes if made.has_urls else traffic.cut_links


def _facts(made: MadePartition) -> str:
    partition, settings, traffic = made.partition, made.settings, made.measures.pages
    how = {
        "Objective": f"{settings.objective}, effort {escape(str(partition.settings.get('effort', settings.effort)))}",
        "Tolerance": tolerances_in_words(settings.tolerances),
        "Shares": shares_in_words(settings.shares, are_measured=settings.shares_are_measured),
    }
    if partition.model in LEARNT_MODELS:
        how = {"Learnt": escape(learnt_in_words(partition).removeprefix("learnt "))}
    cut = {
        "Model": escape(partition.model),
        **how,
        "Seed": str(settings.seed),
        "Unknown URLs": f"owned by {escape(made.manifest.unknown)}",
    }
    figures = {
        "Links": f"{traffic.links:,} between pages, {percent(traffic.cut_links / max(1, traffic.links))} between parts",
        "Imbalance": imbalances_in_words(made.manifest.origin.imbalances, made.manifest.origin.weights),
        "Sent once each": f"{traffic.sent_links:,} URLs" + (f", {traffic.sent_bytes:,} bytes" if made.has_urls else ""),
        "For every link": f"{traffic.cut_links:,} URLs" + (f", {traffic.cut_bytes:,} bytes" if made.has_urls else ""),
    }
    if made.has_urls:
        assert made.look is not None
        sites = made.look.sites
        figures["Sites"] = f"{percent(sites.whole)} in one part, {sites.most:,} parts at most"
    if RANK_SECONDS in partition.settings:
        figures["Expected seconds"] = seconds_in_words(partition).partition(": ")[2]
    if made.moves is not None:
        figures["Moved"] = f"{made.moves.moved_pages:,} of {made.moves.pages:,} pages with an owner before"
    if made.next_crawl is not None and partition.k > 1:
        expected = made.next_crawl
        figures["Next crawl"] = (
            f"imbalance {expected.storage_imbalance:.1%} of bytes, {expected.requests_imbalance:.1%} of pages, if "
            f"{expected.new:.0%} are new"
        )
    return f'<div class="facts">{facts(cut)}{facts(figures)}</div>'


def _foot() -> str:
    return (
        "<footer><p>A link is a distinct pair of downloaded pages; its length is that of the target's URL.  "
        "<code>cutweb quality</code> compares this model with the others.</p></footer>"
    )
