"""--learn, --duration, --states and --time-cost: who learns from measured seconds where sites belong, and how."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from crawler.config.option_groups import CUTTING, grouped_option
from crawler.config.suggestions import OneOf
from partition.choices import DEFAULT_DURATION, DEFAULT_LEARNER, DURATIONS, LEARNERS, LEARNT_MODELS, default_rule

if TYPE_CHECKING:
    from partition.twoma.learner import LearnerSettings

_OF_LEARNING = {"learn": "--learn", "duration": "--duration", "states": "--states"}
_OF_CUTS = {
    "objective": "--objective",
    "tolerance": "--tolerance",
    "balance": "--balance",
    "site_seconds": "--seconds",
    "rank_shares": "--rank-shares",
    "effort": "--effort",
    "kahypar": "--with-kahypar",
    "migration_cost": "--migration-cost",
    "time_cost": "--time-cost",
    "streaming": "--streaming",
    "one_rank_limit": "--one-rank-limit",
}

_OPTIONS = (
    grouped_option(
        CUTTING,
        "--learn",
        type=OneOf(LEARNERS),
        default=DEFAULT_LEARNER,
        show_default=True,
        help=f"For --model twoma: who says where sites go; with --time-cost, at which unknown ranks they are tried. "
        f"{LEARNERS.told()}.",
    ),
    grouped_option(
        CUTTING,
        "--time-cost",
        metavar="X",
        type=click.FloatRange(0, min_open=True),
        help="How many bytes of URLs between parts (see --objective) a second is worth that pages are expected to take "
        "at their rank, by what SESSION and those before it measured there; for --model page, site and prefix.",
    ),
    grouped_option(
        CUTTING,
        "--duration",
        type=OneOf(DURATIONS),
        default=DEFAULT_DURATION,
        show_default=True,
        help=f"For --learn twoma: what is compared of sites at one rank. {DURATIONS.told()}.",
    ),
    grouped_option(
        CUTTING,
        "--states",
        metavar="N",
        type=click.IntRange(0, 1000),
        default=5,
        show_default=True,
        help="For --learn twoma: the innermost state of a rank. A site leaves it after N + 1 sessions in a row above "
        "the mean of the rank, or fewer.",
    ),
)


def learning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --learn, --time-cost, --duration and --states."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def problems_of_learning(context: click.Context, options: Mapping[str, Any]) -> Iterator[str]:
    """That options are given which the model does not heed."""
    model = options["model"]
    if model in LEARNT_MODELS:
        for name, flag in _OF_CUTS.items():
            if _is_given(context, name):
                yield f"{flag} is for models that are cut, and --model {model} is learnt; leave one of the two out"
    elif options["time_cost"] is None:
        for name, flag in _OF_LEARNING.items():
            if _is_given(context, name):
                yield (
                    f"{flag} is for a model that is learnt ({', '.join(LEARNT_MODELS)}), or for one that is cut with "
                    f"--time-cost X; leave it out, or name one of the two"
                )
        return
    elif not _is_given(context, "learn"):
        for name in ("duration", "states"):
            if _is_given(context, name):
                yield f"--{name} says how --learn twoma learns, which is missing"
        return
    if options["learn"] != DEFAULT_LEARNER:
        for name in ("duration", "states"):
            if _is_given(context, name):
                yield f"--{name} is for --learn twoma, and --learn {options['learn']} has none; leave it out"


def unknown_rule(context: click.Context, options: Mapping[str, Any]) -> str:
    """Who is to own unknown URLs: as asked for, or as it suits the model."""
    asked: str = options["unknown"]
    return asked if _is_given(context, "unknown") else default_rule(options["model"])


def learner_settings(context: click.Context, options: Mapping[str, Any]) -> "LearnerSettings | None":
    """How to learn, as the options say; None if nobody does."""
    from partition.twoma.learner import LearnerSettings

    if options["model"] not in LEARNT_MODELS and not _is_given(context, "learn"):
        return None
    return LearnerSettings(options["learn"], options["duration"], options["states"])


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None)
