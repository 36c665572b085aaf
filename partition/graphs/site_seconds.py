"""How long a page of each site takes: a table that others measured, as a weight of pages.

The table has a row for each site: ``site`` and ``seconds``, the mean of its pages, as Parquet or as text with tabs
between.  In memory it is a number and a name for each of its rows, and there are no more sites than pages.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from partition.graphs.link_graph import GraphError, LinkGraph
from sessions.importing.gzip_files import lines
from sessions.importing.source import SourceError, unreadable

MOST_SECONDS = 86_400.0
"""The most that a page may take, a day."""

_SITE, _SECONDS = "site", "seconds"
_PARQUET = b"PAR1"
_MICROSECONDS = 1e6


def with_seconds(graph: LinkGraph, path: Path) -> LinkGraph:
    """The graph with the microseconds that each page takes, by the table ``path``.

    A page of a site that the table lacks takes the mean of the session's pages whose sites it has.  Raises GraphError
    if the table cannot be read, says something that is no time, or has none of the sites.
    """
    if not graph.has_urls:
        raise GraphError(f"{path}: has the seconds of sites, and this session was imported without URLs")
    try:
        table = _read(path)
    except OSError as error:
        raise GraphError(str(unreadable(path, error))) from error
    except SourceError as error:
        raise GraphError(str(error)) from error
    of_site = np.array([table.get(site, np.nan) for site in graph.site_names])
    is_known = ~np.isnan(of_site)
    pages = np.bincount(graph.sites, minlength=len(of_site))
    if not pages[is_known].sum():
        raise GraphError(f"{path}: has none of the session's sites, such as {graph.site_names[0]}")
    of_site[~is_known] = np.average(of_site[is_known], weights=pages[is_known])
    microseconds = np.rint(of_site * _MICROSECONDS).astype(np.int64)
    return replace(graph, microseconds=microseconds[graph.sites])


def _read(path: Path) -> dict[str, float]:
    """The seconds of each site."""
    with path.open("rb") as file:
        is_parquet = file.read(len(_PARQUET)) == _PARQUET
    seconds: dict[str, float] = {}
    for place, site, value in _rows_of_parquet(path) if is_parquet else _rows_of_text(path):
        if not 0 <= value <= MOST_SECONDS:
            raise SourceError(f"{place}: {site} takes {value:g} seconds; it must be from 0 to {MOST_SECONDS:,.0f}")
        if site in seconds:
            raise SourceError(f"{place}: {site} has a row already")
        seconds[site] = value
    if not seconds:
        raise SourceError(f"{path}: has no rows")
    return seconds


def _rows_of_parquet(path: Path) -> Iterator[tuple[str, str, float]]:
    """Where each row is, its site and its seconds."""
    try:
        with pq.ParquetFile(path) as file:
            for name in (_SITE, _SECONDS):
                if name not in file.schema_arrow.names:
                    raise _lacks(path, name, file.schema_arrow.names)
            table = file.read([_SITE, _SECONDS]).cast(pa.schema({_SITE: pa.string(), _SECONDS: pa.float64()}))
    except pa.ArrowException as error:
        raise SourceError(f"{path}: cannot be read as Parquet ({str(error).splitlines()[0]})") from error
    columns = (table[name].to_pylist() for name in (_SITE, _SECONDS))
    for number, (site, value) in enumerate(zip(*columns, strict=True), 1):
        if site is None or value is None:
            raise SourceError(f"{path}: row {number}: {_SITE if site is None else _SECONDS} is missing")
        yield f"{path}: row {number}", site, value


def _rows_of_text(path: Path) -> Iterator[tuple[str, str, float]]:
    """Where each row is, its site and its seconds; the first line names the columns."""
    names: list[str] = []
    for number, line in lines(path):
        place = f"{path}: line {number}"
        cells = line.decode(errors="replace").split("\t")
        if not names:
            names = cells
            for name in (_SITE, _SECONDS):
                if name not in names:
                    raise _lacks(path, name, names)
            continue
        if len(cells) != len(names):
            raise SourceError(f"{place}: has {len(cells)} columns, and the first line {len(names)}")
        text = cells[names.index(_SECONDS)]
        try:
            yield place, cells[names.index(_SITE)], float(text)
        except ValueError as error:
            raise SourceError(f"{place}: {text[:40]!r} is not a number of seconds") from error


def _lacks(path: Path, name: str, names: list[str]) -> SourceError:
    found = ", ".join(names)[:80]
    return SourceError(f"{path}: has no column {name!r}, only {found!a}; it needs {_SITE} and {_SECONDS}")
