"""--balance and --seconds: which weights no rank of the next crawl should have too much of."""

from pathlib import Path
from typing import Any

import click

from crawler.config.option_groups import CUTTING, grouped_option
from partition.choices import BALANCED, WEIGHTS

_MOST = 10.0
_OTHER_NAMES = {"bytes": "storage"}

Tolerances = dict[str, float | None]
"""By the name of a weight its own tolerance, None if it has none."""


class _Balance(click.ParamType[Tolerances]):
    """Names of weights with commas between, each perhaps with a tolerance."""

    name = "weights"
    is_list = True

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Tolerances:
        if isinstance(value, dict):
            return value
        asked: Tolerances = {}
        for item in str(value).split(","):
            name, equals, number = (text.strip() for text in item.partition("="))
            name = _OTHER_NAMES.get(name, name)
            if name not in WEIGHTS:
                self.fail(f"{name!r} is not one of {', '.join(WEIGHTS)}", param, ctx)
            if name in asked:
                self.fail(f"{name} stands there twice", param, ctx)
            asked[name] = self._tolerance(item, number, param, ctx) if equals else None
        return asked

    def _tolerance(self, item: str, text: str, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            tolerance = float(text)
        except ValueError:
            tolerance = -1.0
        if not 0 <= tolerance <= _MOST:
            self.fail(f"{item!r} has no tolerance from 0 to {_MOST:g} after the =, as in links=0.1", param, ctx)
        return tolerance


balance_option = grouped_option(
    CUTTING,
    "--balance",
    metavar="WEIGHT[=T],...",
    type=_Balance(),
    default=",".join(BALANCED),
    show_default=True,
    help=f"The weights of which no rank has much more than its share, each with a tolerance of its own or "
    f"--tolerance, as in storage,requests,links=0.1. {WEIGHTS.told()}.",
)

seconds_option = grouped_option(
    CUTTING,
    "--seconds",
    "site_seconds",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The seconds that a page of each site takes, for --balance seconds: Parquet, or text with tabs between, with "
    "columns site and seconds. Pages of sites that it lacks take the mean of the others. Without it they "
    "are those that SESSION and those before it measured.",
)
