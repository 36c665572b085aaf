"""A session from a graph in WebGraph's BV format: BASENAME.graph and BASENAME.properties."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sessions.importing.bit_codes import Bytes, Code
from sessions.importing.bv_successors import FAULTS, Coding, DamagedError, decode
from sessions.importing.graph import Graph, GraphSession, Numbers, make_session
from sessions.importing.gzip_files import lines
from sessions.importing.page_list import numbered_pages, read_pages
from sessions.importing.source import SourceError, at_offset, unreadable
from sessions.progress import Progress, quiet

_MOST_NODES = (1 << 31) - 1
_WORD_BITS = 64
_CLASSES = ("BVGraph",)
_FLAGS = {
    "OUTDEGREES": "outdegrees",
    "BLOCKS": "blocks",
    "RESIDUALS": "residuals",
    "REFERENCES": "references",
    "BLOCK_COUNT": "block_counts",
    "OFFSETS": "",
}
_CODES = {
    "outdegrees": {Code.GAMMA, Code.DELTA},
    "blocks": {Code.GAMMA, Code.DELTA, Code.UNARY},
    "residuals": {Code.GAMMA, Code.DELTA, Code.ZETA, Code.NIBBLE, Code.GOLOMB},
    "references": {Code.GAMMA, Code.DELTA, Code.UNARY},
    "block_counts": {Code.GAMMA, Code.DELTA, Code.UNARY},
    "": {Code.GAMMA, Code.DELTA},
}
_PROPERTY = re.compile(r"\s*([^=:\s]+)\s*[=:\s]\s*(.*?)\s*\Z")


@dataclass(frozen=True, slots=True)
class Properties:
    """What a graph's properties file says: how large it is, and how it is written."""

    nodes: int
    links: int
    coding: Coding


def import_webgraph(
    basename: Path, out: Path, *, urls: Path | None = None, sizes: Path | None = None, progress: Progress = quiet
) -> GraphSession:
    """Make the session ``out`` from a graph; line i of ``urls`` or ``sizes``, from 0, tells of node i.

    Raises SourceError for what is wrong in a file, and what `sessions.importing.graph.make_session` raises.
    """
    graph = _with_suffix(basename, "graph")

    def read(folder: Path) -> Graph:
        properties = read_properties(_with_suffix(basename, "properties"))
        pages = read_pages(urls, sizes, folder)
        if pages is not None and len(pages) != properties.nodes:
            named = f"{urls or sizes}: has {len(pages):,} pages"
            raise SourceError(f"{named}; {graph} has {properties.nodes:,} nodes")
        links = read_graph(graph, properties, progress)
        return Graph(numbered_pages(np.arange(properties.nodes)) if pages is None else pages, links)

    named_files = {
        "graph": str(graph),
        "urls": str(urls) if urls else None,
        "bytes": str(sizes) if sizes else None,
    }
    return make_session(read, out, "webgraph", named_files, progress)


def read_properties(path: Path) -> Properties:
    """Read a .properties file.  Raises SourceError if it does not describe a BV graph that can be read here."""
    values = _values(path)
    kind = values.get("graphclass", "")
    if kind.split(".")[-1] not in _CLASSES:
        raise SourceError(f"{path}: graphclass is {kind!r}; only BVGraph can be read")
    if values.get("endianness", "big") != "big":
        raise SourceError(f"{path}: endianness is {values['endianness']!r}; only big can be read")
    if (version := values.get("version", "0")) != "0":
        raise SourceError(f"{path}: version is {version!r}; only 0 can be read")
    codes = _codes(path, values.get("compressionflags", ""))
    return Properties(
        nodes=_number(path, values, "nodes", 0, _MOST_NODES),
        links=_number(path, values, "arcs", 0, 1 << 62),
        coding=Coding(
            **codes,
            window=_number(path, values, "windowsize", 0, _MOST_NODES, "7"),
            shortest_interval=_number(path, values, "minintervallength", 0, _MOST_NODES, "4"),
            k=_number(path, values, "zetak", 1, 32, "3"),
        ),
    )


def read_graph(
    path: Path, properties: Properties, progress: Progress = quiet
) -> Iterator[tuple[Numbers, npt.NDArray[np.int32]]]:
    """Open a .graph file: its links, ascending, some thousand nodes' at a time.

    Raises SourceError, at once or while the links are read, if it is damaged, or not as described.
    """
    data = _content(path)
    if properties.nodes > 8 * len(data):
        text = f"{properties.nodes:,} nodes cannot be written in {len(data):,} bytes"
        raise at_offset(path, len(data), f"the file ends in the middle of the graph: {text}")
    return _links(path, data, properties, progress)


def _links(
    path: Path, data: Bytes, properties: Properties, progress: Progress
) -> Iterator[tuple[Numbers, npt.NDArray[np.int32]]]:
    nodes, found, bit = properties.nodes, 0, 0
    try:
        for lists in decode(data, nodes, properties.links, properties.coding):
            numbers = np.arange(lists.first, lists.first + len(lists.starts) - 1)
            yield np.repeat(numbers, np.diff(lists.starts)), lists.targets
            found, bit = found + len(lists.targets), lists.bit
            progress("reading the graph", lists.first + len(numbers), nodes)
    except DamagedError as error:
        text = f"{FAULTS[error.fault]} (bit {error.bit % 8} of this byte, node {error.node:,})"
        raise at_offset(path, error.bit // 8, text) from error
    if found != properties.links:
        raise SourceError(f"{path}: has {found:,} links; its properties say {properties.links:,}")
    if 8 * len(data) - bit >= _WORD_BITS:
        raise at_offset(path, (bit + 7) // 8, f"the file goes on after its {nodes:,} nodes")


def _with_suffix(basename: Path, suffix: str) -> Path:
    """A file of the graph; the basename may be given as the name of one of them."""
    name = basename.name.removesuffix(".graph").removesuffix(".properties")
    return basename.with_name(f"{name}.{suffix}")


def _content(path: Path) -> Bytes:
    """The bytes of a file, mapped into memory: the system lets go of those that were read."""
    try:
        return np.asarray(np.memmap(path, np.uint8, "c")) if path.stat().st_size else np.empty(0, np.uint8)
    except OSError as error:
        raise unreadable(path, error) from error


def _values(path: Path) -> dict[str, str]:
    """The keys and values of a Java properties file, as far as such a file needs to be understood here."""
    values = {}
    for _, line in lines(path):
        text = line.decode("latin-1").lstrip()
        if text[:1] not in ("#", "!") and (match := _PROPERTY.match(text)):
            values[match[1]] = match[2].replace("\\", "")
    return values


def _codes(path: Path, flags: str) -> dict[str, Code]:
    codes: dict[str, Code] = {}
    for flag in filter(None, map(str.strip, flags.split("|"))):
        part, _, name = flag.rpartition("_")
        code = Code.__members__.get(name)
        if part not in _FLAGS or code not in _CODES[_FLAGS[part]]:
            raise SourceError(f"{path}: unknown compression flag {flag!r}")
        codes[_FLAGS[part]] = code
    codes.pop("", None)
    return codes


def _number(path: Path, values: dict[str, str], key: str, least: int, most: int, default: str = "") -> int:
    text = values.get(key, default)
    if not text:
        raise SourceError(f"{path}: does not say {key}")
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise SourceError(f"{path}: {key} is {text!r}; it must be a whole number from {least:,} to {most:,}")
    return int(text)
