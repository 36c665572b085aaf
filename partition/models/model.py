"""What a model of partitions is: pages in groups that are cut, or a list of pages that is divided."""

from collections.abc import Callable
from dataclasses import dataclass

from partition.assignment.assignment import Owners
from partition.cut.balance import Balance
from partition.graphs.link_graph import LinkGraph, Numbers


@dataclass(frozen=True)
class Grouping:
    """Pages in groups.

    Attributes:
        groups: int64[n], the group of each page, from 0.
        prefixes: the URL prefix that each group stands for (`partition.assignment.url_prefixes`); empty where groups
            are pages.
        count: number of groups.
    """

    groups: Numbers
    prefixes: list[str]
    count: int


@dataclass(frozen=True)
class Model:
    """A model: ``group`` says which pages stay together for the cut, unless ``divide`` gives the parts without any.

    Attributes:
        unit: what is cut, in the plural, as messages call it.
        finer: the model to be tried where this one's vertices are too heavy; empty if there is none.
        coarser: the models whose cuts are all cuts of this one, too, and starts for it.
        needs_urls: False if pages that were imported as bare numbers will do.
        depends_on_k: are groups finer where there are more parts?
        group: groups of a graph's pages for k parts; None where pages are never kept together.
        divide: the part of each page, int32[n], for a balance of the graph's weights.
    """

    unit: str
    finer: str = ""
    coarser: tuple[str, ...] = ()
    needs_urls: bool = True
    depends_on_k: bool = False
    group: Callable[[LinkGraph, int], Grouping] | None = None
    divide: Callable[[LinkGraph, Balance], Owners] | None = None
