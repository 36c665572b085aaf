"""Options that all commands which cut a session's links have in common."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from crawler.config.balance_option import balance_option, seconds_option
from crawler.config.option_groups import CUTTING, OWNERS, SESSION, grouped_option
from crawler.config.option_types import NameList
from crawler.config.rank_shares import rank_shares_option
from crawler.config.suggestions import OneOf
from partition.choices import DEFAULT_RULE, MOST_PARTS, OBJECTIVES, UNKNOWN_RULES, all_models, usual_models

F = TypeVar("F", bound=Callable[..., Any])

# Named here and not imported, so that --help need not wait for numpy and Arrow; a test compares them.
EFFORTS = ("low", "normal", "high")

out_option = grouped_option(
    SESSION,
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    required=True,
    help="New or empty folder.",
)


def ranks_option(what: str, only: str) -> Callable[[F], F]:
    """`--ranks` of a command that does ``what`` on several ranks, ``only`` sometimes."""
    return grouped_option(
        OWNERS,
        "--ranks",
        metavar="R",
        type=click.IntRange(1, MOST_PARTS),
        help=f"{what} on R ranks, each with a share of the links: start them under mpiexec, or check that a launcher "
        f"started R. {only}  [default: as many as a launcher started, else 1]",
    )


objective_option = grouped_option(
    CUTTING,
    "--objective",
    type=OneOf(OBJECTIVES),
    default="sent",
    show_default=True,
    help="What is kept small: bytes of the URLs that a rank sends once each, or of all links between ranks.",
)


def models_option(help: str) -> Callable[[F], F]:
    """Return what gives a command the models that it tries."""
    return grouped_option(
        CUTTING,
        "--models",
        metavar="NAME,...",
        type=NameList(all_models()),
        default=",".join(usual_models()),
        show_default=True,
        help=help,
    )


effort_option = grouped_option(
    CUTTING,
    "--effort",
    type=OneOf(EFFORTS),
    default="normal",
    show_default=True,
    help="How long to look for a better partition.",
)

_OPTIONS = (
    objective_option,
    grouped_option(
        CUTTING,
        "--tolerance",
        type=click.FloatRange(0, 10),
        default=0.05,
        show_default=True,
        help="How much heavier than its share a part may be in each weight of --balance: 0.05 is 5%.",
    ),
    balance_option,
    seconds_option,
    rank_shares_option,
    effort_option,
    grouped_option(
        CUTTING,
        "--with-kahypar/--no-kahypar",
        "kahypar",
        default=None,
        help="Let Mt-KaHyPar find starts, too, at --effort normal and high. [default: if it is installed, as by "
        "pip install 'cutweb[kahypar]']",
    ),
    grouped_option(
        OWNERS,
        "--unknown",
        type=OneOf(UNKNOWN_RULES),
        default=DEFAULT_RULE,
        show_default=True,
        help=f"Who owns a URL that was never downloaded. {UNKNOWN_RULES.told()}. "
        "The default is site for --model twoma.",
    ),
)


def cutting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --objective, --tolerance, --balance, --seconds, --rank-shares, --effort and --unknown."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def previous_option(text: str) -> Callable[[F], F]:
    """--previous-map DIR, an earlier map, with the help text ``text``."""
    return grouped_option(
        OWNERS,
        "--previous-map",
        "previous",
        aliases=("--previous",),
        metavar="DIR",
        type=click.Path(path_type=Path),
        help=text,
    )
