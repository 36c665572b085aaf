"""What a user may set of the orderings, as one thing that every ordering is given and takes its own part of."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class OrderSettings:
    """The options of the orderings; `crawler.config.order_options` says what each means."""

    rerank: int = 10
    ranked_sites: int = 1000
    order_seed: int = 1
    priorities: Path | None = None


DEFAULT_SETTINGS = OrderSettings()
