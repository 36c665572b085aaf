"""The options of a crawl, and of a replay alike, that say in what order URLs are fetched."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from crawler.config.option_declaration import option
from crawler.config.option_groups import ENDING
from crawler.config.suggestions import OneOf
from crawler.frontier.order_settings import OrderSettings
from crawler.frontier.orderings import ORDERINGS

_ending = partial(option, group=ENDING)

_COUNT = click.IntRange(min=1)
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True)
class OrderOptions:
    """The order, and what each of the orderings may be told."""

    order: str = _ending(
        "bfs",
        f"In what order URLs are fetched. {ORDERINGS.told()}.",
        OneOf(ORDERINGS),
    )
    rerank: int = _ending(
        OrderSettings.rerank,
        "With --order backlink: rank the sites anew every N supersteps.",
        _COUNT,
    )
    ranked_sites: int = _ending(
        OrderSettings.ranked_sites,
        "With --order backlink: until then fetch only of the first N sites of a rank, while they have URLs.",
        _COUNT,
    )
    priorities: Path | None = _ending(
        None,
        "With --order priority: the worklist whose priorities it goes by, as cutweb worklist has made it in this "
        "folder.",
        _PATH,
        metavar="WORKLIST",
    )
    order_seed: int = _ending(
        OrderSettings.order_seed,
        "With --order random: what beside a URL says when it is fetched.",
        click.IntRange(0, (1 << 63) - 1),
    )
