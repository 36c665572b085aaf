"""A unit that was run once, without MPI, for all who look at its result."""

from collections.abc import Iterator

import pytest

from crawler.work.unit import unit_name
from sessions.localweb.serve.server import LocalWeb
from tests.crawler.support.work_units import OTHER_URLS, URLS, Project, Run, run_without_mpi, write_web

PAGES: dict[str, str | tuple[int, str]] = {
    "http://a.example/": "<a href='/one'>one</a> <a href='http://b.example/'>b</a> first page of a",
    "http://b.example/": "<a href='http://a.example/one'>one</a> <a href='/x'>x</a> first page of b",
    "http://a.example/moved": (301, "http://z.example/"),
    "http://z.example/": "nobody is to come here",
    "http://b.example/x": "<a href='http://d.example/'>d</a> another page of b",
    "http://d.example/": "<a href='http://a.example/one'>one</a> <a href='http://b.example/'>b</a> first page of d",
    "http://e.example/": "<a href='/two'>two</a> first page of e",
}


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalWeb]:
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    write_web(path, PAGES)
    with LocalWeb([path]) as web:
        yield web


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory, web: LocalWeb) -> Run:
    """A unit of `URLS`, run by anna."""
    project = Project(tmp_path_factory.mktemp("run"), [*URLS, *OTHER_URLS])
    return run_of(project, URLS, "anna", web)


@pytest.fixture(scope="session")
def other_run(run: Run, web: LocalWeb) -> Run:
    """A unit of `OTHER_URLS` of the same project, run by bert."""
    return run_of(run.project, OTHER_URLS, "bert", web)


def run_of(project: Project, urls: list[str], volunteer: str, web: LocalWeb) -> Run:
    """Hand out a unit, and run it where there is no MPI."""
    number, before = project.hand_out(urls), len(web.log)
    result = project.folder / f"{number}.result"
    unit = project.units / unit_name(number)
    words = (unit, "--trust", project.key.public, "--connect-to", web.connect_to, "--out", result)
    done = run_without_mpi(*words, key=str(project.folder / f"{volunteer}.key"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{result}: of {len(urls)} URLs {len(urls)} fetched, 0 failed, 0 filtered, 0 left\n"
    return Run(project, number, result, [(at, url) for at, _, url in web.log[before:]])
