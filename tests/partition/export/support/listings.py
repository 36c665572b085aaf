"""Graphs of small webs as exports list them."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from partition.export.session_graph import SessionGraph, session_graph
from partition.export.vertex_edge_tables import LISTINGS, Listing
from sessions.session import Session
from tests.partition.graphs.support.webs import Web, remembered


@contextmanager
def listed(source: Web | Session, kind: str = "page", parts: int = 4) -> Iterator[Listing]:
    """A graph of a web, or of a session; its files are there for the time of the statement."""
    with graph_read(source) as (graph, folder):
        yield LISTINGS[kind](graph, parts, folder)


@contextmanager
def graph_read(source: Web | Session) -> Iterator[tuple[SessionGraph, Path]]:
    """A session as it is read for an export, and the folder in which its links are."""
    with tempfile.TemporaryDirectory() as folder:
        yield session_graph(remembered(source) if isinstance(source, Web) else source, Path(folder)), Path(folder)
