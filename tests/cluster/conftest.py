"""Tests on several hosts under a Slurm of their own: one cluster for all of them, and a web that all its nodes reach.

They need root, iproute2 and Slurm, and are no part of `make test`: `make test-cluster` installs what they need.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from sessions.localweb.generate.make import MadeWeb, make_web
from sessions.localweb.serve.server import LocalWeb
from tests.cluster.cluster import HEAD_ADDRESS, Cluster, missing
from tests.cluster.jobs import Jobs
from tests.mpi.search import pages_by_search

NODES = 4
"""Jobs take two of them: two are left to take the place of those that fail."""
NEARBY_PORT = 8080


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """Four nodes, all idle."""
    lacking = missing()
    if lacking is not None:
        pytest.skip(lacking)
    folder = Path(tempfile.mkdtemp(prefix="cutweb-cluster-"))  # a socket's path must be short
    try:
        with Cluster(folder, NODES) as running:
            yield running
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def jobs(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Jobs:
    """What a user has: the files that `cutweb slurm init` writes, on a file system that all nodes see."""
    return Jobs(cluster, tmp_path_factory.mktemp("jobs"))


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeWeb:
    """A small web."""
    return make_web(tmp_path_factory.mktemp("web") / "web.warc.gz", sites=12, pages=400, seed=7, links=12.0, robots=0.3)


@pytest.fixture(scope="session")
def expected(made: MadeWeb) -> set[str]:
    """The pages that a breadth-first search over the web's own links finds, obeying robots.txt."""
    return pages_by_search(made)


@pytest.fixture(scope="session")
def web(cluster: Cluster, made: MadeWeb) -> Iterator[LocalWeb]:
    """The small web, served where all nodes reach it."""
    with LocalWeb([made.path], host=HEAD_ADDRESS) as local:
        yield local


@pytest.fixture(scope="session")
def where(made: MadeWeb, web: LocalWeb) -> list[str]:
    """Options of a crawl that say where it begins, and that the small web is all there is."""
    contact = ["--scope", "all", "--contact", "tests@cutweb.example"]
    return ["--seeds", str(made.seeds_path), "--connect-to", web.connect_to, "--ca-cert", str(web.ca_cert), *contact]


@pytest.fixture
def nearby(cluster: Cluster, made: MadeWeb) -> Iterator[list[str]]:
    """As `where`, but each node serves the small web to itself, so that it needs no network to crawl it."""
    serve = ["-m", "crawler", "web", "serve", made.path, "--port", str(NEARBY_PORT)]
    with ExitStack() as stack:
        for node in cluster.nodes:
            server = stack.enter_context(cluster.start_on(node, sys.executable, *serve))
            stack.callback(server.terminate)
            assert server.stdout is not None
            assert server.stdout.readline().startswith("serving")
        yield ["--seeds", str(made.seeds_path), "--connect-to", f"::127.0.0.1:{NEARBY_PORT}", "--no-tls-verify"]
