"""Real inputs to begin with: a made web's pages and heads, and the tables that the tests have."""

import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType

from sessions.localweb.generate.make import make_web
from tests.crawler.politeness.robots.test_rules import CASES as ROBOTS_CASES
from tests.sessions.test_url_table import CASES as URL_CASES

SITES, PAGES, SEED = 3, 40, 1
_SSRF_TABLE = Path(__file__).parents[1] / "crawler" / "network" / "data" / "ssrf.tsv"


class Kept(NamedTuple):
    """A response of the made web, as it came over the wire."""

    url: str
    head: bytes
    body: bytes


@cache
def made_web() -> list[Kept]:
    """What a small made web answers, the same in every run."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "web.warc.gz"
        make_web(path, sites=SITES, pages=PAGES, seed=SEED)
        with path.open("rb") as file:
            kept = []
            for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=False):
                head, _, body = record.reader.read().partition(b"\r\n\r\n")
                kept.append(Kept(record.headers["WARC-Target-URI"], head + b"\r\n\r\n", body))
    return kept


def robots_files() -> list[bytes]:
    """The files of the robots.txt table."""
    return list(dict.fromkeys(case.body for case in ROBOTS_CASES))


def urls() -> list[str]:
    """The spellings of URLs in the tables, good and bad."""
    listed = _SSRF_TABLE.read_text(encoding="utf-8").splitlines()
    addresses = [line.split("\t")[0] for line in listed if line and not line.startswith("#")]
    return list(dict.fromkeys([*(case.url[:2000] for case in URL_CASES), *addresses]))
