"""What `cutweb partition` says of a cut, in words: what to beware of, what moves, what is expected."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from crawler.process.printing import counted
from partition.choices import DEFAULT_LEARNER, LEARNT_MODELS, MODELS, SPREADING_RULES, WEIGHTS

if TYPE_CHECKING:
    from partition.make_partition.made_partition import MadePartition
    from partition.measures.moves import Moves
    from partition.measures.next_crawl import NextCrawl
    from partition.models.partition_pages import Partition


def warnings_of(made: "MadePartition") -> list[str]:
    """What a reader has to know before the figures, a line each."""
    from partition.models.tolerances import tolerances_in_words

    told = [] if made.incomplete is None else [str(made.incomplete)]
    if made.moves is not None and 2 * made.moves.pages < made.pages:
        told.append(
            f"the previous map holds only {made.moves.pages:,} of the session's {made.pages:,} pages "
            f"({made.moves.pages / made.pages:.1%})"
        )
    if made.partition.model in LEARNT_MODELS:
        told += _of_learnt(made)
    elif not made.partition.is_balanced:
        finer = MODELS.load(made.partition.model).finer
        told.append(
            f"no partition within {tolerances_in_words(made.settings.tolerances)} was found; this is the least "
            f"unbalanced{_beyond(made.partition)}. Fewer parts, {f'--model {finer} ' if finer else ''}or a larger "
            "tolerance may do better."
        )
    return told


def _beyond(partition: "Partition") -> str:
    """By how much the fullest part is beyond the tolerance of each weight of which it has too much."""
    told = [f"{excess:.2%} of {WEIGHTS.load(name).unit}" for name, excess in partition.excesses.items() if excess > 0]
    return f", {' and '.join(told)} beyond that" if told else ""


def _of_learnt(made: "MadePartition") -> Iterator[str]:
    """That a rank has nothing to do, or that the next session will not tell where sites are."""
    if not made.partition.is_balanced:
        told = made.partition.settings
        yield f"{told['empty_parts']:,} of the {made.partition.k:,} ranks have no page: no site belongs there"
    if made.manifest.unknown in SPREADING_RULES:
        yield (
            f"--unknown {made.manifest.unknown} gives new URLs of one site to several ranks, and a session of which "
            "more than 5% lie so is refused next time; --unknown site keeps sites whole"
        )


def how_it_was_made(partition: "Partition") -> Iterator[str]:
    """What was learnt, which of several cuts was best, and what seconds are expected, as far as that holds for it."""
    from partition.twoma.rank_seconds import RANK_SECONDS

    told = partition.settings
    if partition.model in LEARNT_MODELS:
        yield learnt_in_words(partition)
    if "won" in told:
        yield f"best of the {told['effort']} effort: {told['won']}"
    if RANK_SECONDS in told:
        yield seconds_in_words(partition)


def learnt_in_words(partition: "Partition") -> str:
    """Return who learnt from how much, and how many sites move."""
    told = partition.settings
    how = f" ({told['duration']} durations, states 0 to {told['states']})" if told["learn"] == DEFAULT_LEARNER else ""
    return (
        f"learnt by {told['learn']}{how} from {counted(told['runs'], 'session')}: of {counted(told['sites'], 'site')} "
        f"{told['measured_sites']:,} were measured in this one, {told['new_sites']:,} are new, and "
        f"{told['moved_sites']:,} go to another rank"
    )


def seconds_in_words(partition: "Partition") -> str:
    """Return what the requests of all pages and of the slowest rank are expected to take."""
    from partition.twoma.rank_seconds import RANK_SECONDS

    seconds = partition.settings[RANK_SECONDS]
    whole, slowest = sum(seconds), max(range(len(seconds)), key=seconds.__getitem__)
    over = seconds[slowest] * len(seconds) / whole - 1 if whole else 0.0
    return (
        f"expected seconds of requests, each page at its rank: {whole:,.2f}; most at rank {slowest}, "
        f"{seconds[slowest]:,.2f} (imbalance {over:.1%})"
    )


def moves_in_words(moves: "Moves", pages: int) -> str:
    """How many pages and bytes keep their owners, of a session of so many pages."""
    return (
        f"of {moves.pages:,} pages and {moves.bytes:,} bytes with an owner before, "
        f"{moves.pages - moves.moved_pages:,} and {moves.bytes - moves.moved_bytes:,} are kept, "
        f"{moves.moved_pages:,} ({moves.share_of_pages:.2%}) and {moves.moved_bytes:,} ({moves.share_of_bytes:.2%}) "
        f"move; {pages - moves.pages:,} pages are new"
    )


def expectation_in_words(expected: "NextCrawl", unknown: str) -> str:
    """What imbalance is expected where new pages are owned by the rule ``unknown``."""
    return (
        f"expected of the next crawl, if {expected.new:.0%} of its pages are new (--unknown {unknown}): imbalance "
        f"{expected.storage_imbalance:.1%} of bytes, {expected.requests_imbalance:.1%} of requests"
    )
