"""What an ordering needs: checked before anything is written, and told."""

from pathlib import Path

from crawler.config.command_line import UsageError
from crawler.config.crawl_options import CrawlOptions
from crawler.exchange.parallel_modes import EXCHANGE
from sessions.session import DISCOVERER

BY_SITES = "backlink"
BY_PRIORITY = "priority"
COUNTED = (BY_SITES, "backlink-page")
"""The orderings that count back-links over all ranks."""


def check_order(options: CrawlOptions) -> None:
    """Raise UsageError if the ordering lacks what it goes by, or is given what another goes by."""
    if options.order == BY_PRIORITY:
        if options.priorities is None:
            raise UsageError(f"--order {BY_PRIORITY} needs --priorities WORKLIST, which cutweb worklist makes")
        check_priorities(options.priorities)
    elif options.priorities is not None and not options.is_resumed:
        raise UsageError(f"--priorities is for --order {BY_PRIORITY}, but the order is {options.order}: leave it out")


def check_priorities(worklist: Path | None) -> None:
    """Raise UsageError if there is a worklist to go by and it cannot be read; all of it is read."""
    if worklist is None:
        return
    from crawler.frontier.priorities import with_urls  # most crawls need none of it
    from crawler.worklist.manifest import WorklistError

    try:
        with_urls(worklist).check()
    except WorklistError as error:
        raise UsageError(f"--priorities {error}") from error


def check_counting(options: CrawlOptions, mode: str = EXCHANGE) -> None:
    """Raise UsageError if back-links are to be counted where ranks tell each other nothing, or fetch pages twice."""
    if options.order not in COUNTED:
        return
    if mode != EXCHANGE:
        raise UsageError(
            f"--order {options.order} counts links over all ranks, but with --mode {mode} they tell each other "
            "nothing: take another order, or --mode exchange"
        )
    if options.unknown == DISCOVERER:
        raise UsageError(
            f"--order {options.order} counts the links of each page once, but with --unknown {DISCOVERER} several "
            "ranks may fetch it: take another rule"
        )


def one_site_warning(order: str, has_one_site: bool) -> list[str]:
    """Say so if sites are to be ranked where there is one."""
    if order != BY_SITES or not has_one_site:
        return []
    return [f"the session has no URLs, so all its pages are of one site: --order {BY_SITES} is breadth-first"]
