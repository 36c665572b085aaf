"""A web is crawled, changed in one place, and crawled again, asking only for what has changed."""

import os
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from sessions.checking.check import check_session
from sessions.session import Session
from tests.mpi.conftest import Run

PAGES = 30
CHANGED = 7
LONG_AGO = 1_000_000_000


class Files(SimpleHTTPRequestHandler):
    """Files with their Last-Modified; it counts the bodies that it sends."""

    bodies = 0

    def send_response(self, code: int, message: str | None = None) -> None:
        Files.bodies += code == HTTPStatus.OK
        super().send_response(code, message)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder of pages that link to each other, and where it is served."""
    folder = tmp_path / "site"
    folder.mkdir()
    for number in range(PAGES):
        targets = [(2 * number + 1) % PAGES, (2 * number + 2) % PAGES]
        links = "".join(f"<a href=/{target}.html>" for target in targets)
        page = folder / f"{number}.html"
        page.write_text(f"<p>page {number}{links}")
        os.utime(page, (LONG_AGO, LONG_AGO))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def pages_and_links(session: Session) -> tuple[dict[str, bytes], set[tuple[int, int]]]:
    """The digest of each page, and the links."""
    pages, links = session.read("pages"), session.read("links")
    digests = dict(zip(pages["url"].to_pylist(), pages["content_digest"].to_pylist(), strict=True))
    return digests, set(zip(links["source"].to_pylist(), links["target"].to_pylist(), strict=True))


@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.long), 3])
def test_what_has_not_changed_costs_no_body(run_ranks: Run, tmp_path: Path, site: tuple[Path, str], ranks: int) -> None:
    folder, origin = site
    crawl = ["-m", "crawler", "crawl", f"{origin}0.html", "--assign", "page-hash", "--superstep", "0.1"]
    crawl += ["--delay", "0", "--server-delay", "0", "--allow-net", "127.0.0.0/8"]
    done = run_ranks(ranks, *crawl, "--out", str(tmp_path / "first"))
    assert done.returncode == 0, done.stdout + done.stderr
    changed = folder / f"{CHANGED}.html"
    changed.write_text("<p>another text with other links<a href=/0.html>")
    Files.bodies = 0
    done = run_ranks(4 - ranks, *crawl, "--from", str(tmp_path / "first"), "--out", str(tmp_path / "second"))
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = (Session.open(tmp_path / name) for name in ("first", "second"))
    for session in (first, second):
        assert check_session(session.path).is_good
    assert second.header["previous"] == str(tmp_path / "first")
    rows = second.read("pages", ["url", "status", "bytes"]).to_pylist()
    came = [row["url"] for row in rows if row["status"] == HTTPStatus.OK]
    (before, links_before), (after, links_after) = pages_and_links(first), pages_and_links(second)
    assert before.keys() == after.keys()
    assert {url for url in before if before[url] != after[url]} == set(came) == {f"{origin}{CHANGED}.html"}
    assert Files.bodies == 1
    assert len(links_before - links_after) == 2
    assert len(links_after - links_before) == 1
