"""What a crawl takes from its environment, and what it does not (docs/command-line.md)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawler.main import set_up_process
from crawler.process.mpi_environment import RANK_VARIABLES
from sessions.localweb.generate.make import make_web
from sessions.localweb.serve.server import LocalWeb

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalWeb, str]]:
    """A web of one site, and the URL of its root over TLS."""
    made = make_web(tmp_path_factory.mktemp("web") / "web.warc.gz", sites=1, pages=1, seed=1)
    with LocalWeb([made.path]) as web:
        yield web, web.index.roots()[0].replace("http://", "https://")


def crawled(web: LocalWeb, *arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in RANK_VARIABLES}
    command = [sys.executable, "-m", "crawler", "crawl", "--connect-to", web.connect_to, "--max-pages", "1"]
    return subprocess.run(
        [*command, "--superstep", "0.05", "--retries", "0", *map(str, arguments)],
        env=kept | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        timeout=100,
    )


def test_neither_keys_are_logged_nor_proxies_nor_other_certificates_used(
    local: tuple[LocalWeb, str], tmp_path: Path
) -> None:
    web, url = local
    proxy = dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:1/")
    keys = tmp_path / "keys"
    arguments = (url, "--out", tmp_path / "out", "--ca-cert", web.ca_cert)
    done = crawled(web, *arguments, SSLKEYLOGFILE=keys, SSL_CERT_FILE=tmp_path / "none", **proxy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not keys.exists()


def test_an_authority_that_the_environment_names_is_not_trusted_and_the_option_is_hinted_at(
    local: tuple[LocalWeb, str], tmp_path: Path
) -> None:
    web, url = local
    done = crawled(web, url, "--out", tmp_path / "out", SSL_CERT_FILE=web.ca_cert)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "trusted if --ca-cert FILE names it" in done.stdout.splitlines()[-1]


def test_the_variable_is_gone_before_a_library_can_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSLKEYLOGFILE", "keys")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    set_up_process()
    assert "SSLKEYLOGFILE" not in os.environ
