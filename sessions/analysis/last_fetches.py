"""The pages of a session, each once: what its last fetch gave, as far as two sessions can be compared by it."""

from hashlib import sha1

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sessions.hash_arrays import are_last, hashes_of
from sessions.importing.page_list import PLAIN_BYTES
from sessions.session import Session
from sessions.url import Hashes, site_of

_READ = (
    "hash",
    "site",
    "status",
    "bytes",
    "decoded_bytes",
    "content_digest",
    "fetched",
    "truncated",
    "simhash",
    "error",
    "redirect",
    "unchanged_since",
)
_GRAPHS = ("edges", "webgraph")
_EMPTY_BODY = sha1(b"").digest()


def last_fetches(session: Session) -> pa.Table:
    """The pages of a session by ascending hash; one fetched more than once as its last row in the session tells it.

    Columns as in the pages table (docs/formats.md): ``hash``, ``site`` (as a dictionary), ``status``, ``simhash``,
    ``redirect``, ``unchanged_since``; and

    - ``fetched``: start of the fetch; null where a graph was imported, of which it tells the import;
    - ``bytes``: int64, length of the decoded body as far as it was read, 0 if not known;
    - ``size``: int64, the same, null unless the body was read in full;
    - ``document``: SHA-1 of the decoded body, also of an empty one, null unless it was read in full and is known.

    Raises ValueError if a row has no hash.
    """
    pages = session.read("pages", _READ)
    fetched, size = pages["fetched"], pages["decoded_bytes"]
    if session.header["configuration"].get("import") in _GRAPHS:
        fetched = pc.if_else(False, fetched, None)
        size = pc.if_else(pc.equal(size, PLAIN_BYTES), None, size)
    is_whole = pc.and_(pc.is_null(pages["truncated"]), pc.is_null(pages["error"]))
    facts = pa.table(
        {
            "hash": pages["hash"],
            "site": _sites(session, pages).dictionary_encode(),
            "status": pages["status"],
            "simhash": pages["simhash"],
            "redirect": pages["redirect"].cast(pa.large_string()),
            "unchanged_since": pages["unchanged_since"],
            "fetched": fetched,
            "bytes": pc.max_element_wise(size, 0),
            "size": pc.if_else(is_whole, size, None),
            "document": pc.if_else(is_whole, _digests(pages), None),
        }
    )
    return facts.unify_dictionaries().combine_chunks().take(pa.array(last_rows(hashes_of(facts, "hash"))))


def last_rows(hashes: Hashes) -> npt.NDArray[np.int64]:
    """The rows in which each of the hashes of a pages table stands for the last time, int64[n] by ascending hash.

    The session's order says which fetch of a page is its last, not the time: clocks of ranks may differ.  Ranks come
    one after the other in it, whose rows are in the order of epochs.
    """
    order = np.argsort(hashes, kind="stable")
    return order[are_last(hashes[order])].astype(np.int64, copy=False)


def _digests(pages: pa.Table) -> pa.ChunkedArray:
    """Digests of the decoded bodies; the table has none of an empty body."""
    is_empty = pc.and_kleene(pc.equal(pages["bytes"], 0), pc.equal(pages["decoded_bytes"], 0))
    is_missing = pc.and_kleene(pc.is_null(pages["content_digest"]), is_empty)
    return pc.if_else(pc.fill_null(is_missing, False), pa.scalar(_EMPTY_BODY, pa.binary(20)), pages["content_digest"])


def _sites(session: Session, pages: pa.Table) -> pa.ChunkedArray:
    if not pages["site"].null_count:
        return pages["site"]
    return pa.chunked_array([[site_of(url) for url in session.read("pages", ["url"])["url"].to_pylist()]], pa.string())
