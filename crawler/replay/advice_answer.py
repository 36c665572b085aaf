"""Which way of sharing URLs the next crawl should take: what `cutweb advise` answers, and why."""

from collections.abc import Iterator

from crawler.replay.advice import TOLERANCE, Advice, Option
from crawler.replay.costs import Band
from partition.report.answer import Answer, Bar
from partition.report.markup import size
from partition.report.scales import percent


def answer_of(advice: Advice) -> Answer:
    """Return the recommendation, what each way is expected to cost, and the commands to run."""
    chosen = advice.chosen
    rule = "" if chosen.candidate.rule is None else f", new URLs by {chosen.candidate.rule}"
    sent = size(round(chosen.wire_bytes.middle * advice.pages))
    sentence = (
        f"For {advice.ranks:,} ranks take {chosen.candidate.model}{rule}: with as many pages as here, "
        f"{advice.pages:,}, the slowest rank would be busy for {_seconds(advice, chosen.page_ms)}, the fullest one is "
        f"expected to be {percent(_imbalance(chosen))} above the mean, and {sent} would go between ranks."
    )
    return Answer(
        sentence,
        "Milliseconds for which the slowest rank is busy, a page; less is better",
        [_bar(option, option == chosen) for option in sorted(advice.shown, key=_expected)],
        tuple(advice.commands),
        "do so",
    )


def _bar(option: Option, is_chosen: bool) -> Bar:
    candidate, cost = option.candidate, option.page_ms
    note = f"{percent(_imbalance(option))} above the mean, {option.wire_bytes.middle:,.1f} B a page sent"
    return Bar(
        candidate.way,
        cost.middle,
        f"{cost.middle:.3f} ({cost.low:.3f} to {cost.high:.3f})",
        candidate.model,
        f"{'recommended; ' if is_chosen else ''}{note}",
    )


def reasons(advice: Advice) -> Iterator[str]:
    """Yield why that is recommended, and what was reckoned with, a line each."""
    chosen, cheapest, base = advice.chosen, advice.cheapest, advice.base
    if cheapest == chosen:
        yield "nothing is expected to cost less"
    elif chosen.is_even:
        yield (
            f"{cheapest.candidate.way} is expected to cost {_difference(cheapest, chosen)}, but may cost up to "
            f"{cheapest.page_ms.high:.3f} ms: this is simpler, and within what is not known"
        )
    else:
        yield (
            f"no way that costs about as little is expected to keep within {TOLERANCE:.0%} of the mean: of the most "
            f"even ones it sends least ({cheapest.candidate.way} is expected to cost {_difference(cheapest, chosen)})"
        )
    if base not in (chosen, cheapest):
        yield f"{base.candidate.way} is expected to cost {_difference(base, chosen)}"
    yield (
        f"expected, not sure: five times about {advice.held_out:,} of the {advice.pages:,} pages were held out from "
        "partitions and stand for new ones, or for half of these, while others are gone, or sites grow and shrink; in "
        "brackets least and most"
    )
    if not advice.has_urls:
        yield (
            "the pages have no URLs: single ones were held out, by their hash; nothing can be said of new directories "
            "and sites, nor of the rules for unknown URLs that go by them"
        )
        yield "the URLs that are sent have no length of their own: what is sent tells one way from another, no more"
    yield from advice.prices.lines()
    if chosen.map_bytes:
        yield f"each rank maps about {size(chosen.map_bytes)} of the partition, shared by the ranks of a machine"
    else:
        yield "it needs no map, and no partition to be made"
    for left in advice.left_out:
        yield f"{left.what} left out: {left.reason}"


def _seconds(advice: Advice, band: Band) -> str:
    least, most = (f"{advice.seconds(value):,.1f}" for value in (band.low, band.high))
    return f"{advice.seconds(band.middle):,.1f} s ({least} to {most})"


def _difference(option: Option, chosen: Option) -> str:
    """How much more or less one option is expected to cost than another."""
    ratio = option.page_ms.middle / chosen.page_ms.middle - 1 if chosen.page_ms.middle else 0.0
    return f"{abs(ratio):.1%} {'more' if ratio >= 0 else 'less'}"


def _expected(option: Option) -> float:
    return option.page_ms.middle


def _imbalance(option: Option) -> float:
    return option.imbalance.middle
