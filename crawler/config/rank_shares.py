"""--rank-shares: how much of the pages each rank of the next crawl gets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from crawler.config.option_groups import CUTTING, grouped_option
from crawler.config.option_types import FloatList

MEASURED = "measured"

Shares = tuple[float, ...] | str
"""Positive numbers, one for each rank, or `MEASURED`."""


_NUMBERS = FloatList(is_open=True, word=MEASURED)


class _Shares(click.ParamType[Shares]):
    """Positive numbers with commas between, or ``measured``."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Shares:
        return MEASURED if value == MEASURED else _NUMBERS.convert(value, param, ctx)


rank_shares_option = grouped_option(
    CUTTING,
    "--rank-shares",
    metavar="S,...",
    type=_Shares(),
    help="The share of each rank relative to the others, for machines that are unequal: numbers with commas "
    "between, or 'measured', which is how many pages a second of CPU time each did in SESSION. Equal if not given.",
)


def problems_of_shares(asked: Shares | None, parts: int) -> Iterator[str]:
    """That there is not one number for each part."""
    if isinstance(asked, tuple) and len(asked) != parts:
        yield f"--rank-shares: {len(asked)} numbers for {parts} parts"


def share_settings(session: Path, asked: Shares | None, parts: int) -> dict[str, Any]:
    """What is asked for as `partition.models.settings.Settings` has it; nothing if nothing is.

    Raises SessionError if there is no session to measure in, SpeedError if it does not tell.
    """
    from partition.models.rank_speeds import rank_speeds
    from sessions.session import Session

    if asked is None:
        return {}
    if asked == MEASURED:
        return {"shares": rank_speeds(Session.open(session), parts), "shares_are_measured": True}
    return {"shares": asked}
