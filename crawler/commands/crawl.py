"""``cutweb crawl``: what rank 0 plans, every rank crawls."""

from collections.abc import Sequence
from typing import Any

from crawler.config.command_line import crawl_command, parsed
from crawler.config.crawl_options import CrawlOptions
from crawler.config.early_options import EarlyOptions, early_options
from crawler.launch.closing_message import Closing, closing
from crawler.launch.map_agreement import HeldMap
from crawler.launch.plan import Plan, plan
from crawler.launch.resume_plan import plan_to_resume
from crawler.launch.start_ranks import Command, launch
from crawler.launch.undamaged import damage_found
from crawler.network.product_token import is_crawlers, product_token
from crawler.process.terminal import tell
from sessions.session import Session


def crawl(arguments: list[str]) -> int:
    """Run ``cutweb crawl`` with these arguments; its exit code."""
    return launch(Command("crawl", parsed, _plan, _crawl, damage_found, _early), arguments)


def _early(arguments: list[str]) -> EarlyOptions | None:
    return early_options(crawl_command(), arguments)


def _plan(options: CrawlOptions, ranks: int, held: Sequence[HeldMap], scratch_problems: Sequence[str | None]) -> Plan:
    _warn_of_name(options)
    return (plan_to_resume if options.is_resumed else plan)(options, ranks, held, scratch_problems)


def _warn_of_name(options: CrawlOptions) -> None:
    """Say so if no robots.txt can speak to this crawler by its name."""
    token = product_token(options.user_agent, options.robots_token)
    if not is_crawlers(token):
        tell(
            f"cutweb crawl: --user-agent {options.user_agent!r} does not name the crawler: in robots.txt files it "
            f"looks for {token!r}; give its name with --robots-token NAME",
            err=True,
        )


def _crawl(comm: Any, crawl_plan: Plan) -> Closing:
    from crawler.rank.crawl import crawl as crawl_by_plan

    ending = crawl_by_plan(comm, crawl_plan)
    return closing(Session.open(crawl_plan.out), ending) if comm.rank == 0 else Closing("")
