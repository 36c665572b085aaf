"""How many pages are the same document, byte for byte."""

import numpy as np

from crawler.session_report.report_figure import NotKnownError, ReportFigure, Row
from crawler.session_report.session_arrays import SessionArrays
from sessions.hash_arrays import distinct

DUPLICATES = ReportFigure(
    "duplicates",
    "Documents and links",
    "Duplicates",
    "Fetches answered with 2xx whose decoded body came whole and is not empty; the different documents among them by "
    "SHA-1 digest; and the share of the fetches that only repeat a document.",
    ("fetches", "documents", "repeated"),
    shown=1,
)


def duplicates_of(arrays: SessionArrays) -> list[Row]:
    """Fetches with a digest, and different digests."""
    fetches = arrays.fetches
    digests = fetches.digest[(fetches.digest != 0) & (fetches.status // 100 == 2)]
    if not len(digests):
        raise NotKnownError("no digests of its bodies are known")
    documents = len(distinct(digests.astype(np.uint64)))
    return [(len(digests), documents, 1 - documents / len(digests))]
