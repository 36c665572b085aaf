"""A web's two files: both or neither."""

from pathlib import Path

import pytest

from sessions.localweb.web_files import seeds_path, whole_web


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_both_files_are_there(tmp_path: Path) -> None:
    seeds: list[str] = []
    with whole_web(tmp_path / "web.warc.gz", seeds) as place:
        place.write_text("web")
        seeds += ["http://a.example/", "http://b.example/"]
    assert (tmp_path / "web.warc.gz").read_text() == "web"
    assert seeds_path(tmp_path / "web.warc.gz").read_text() == "http://a.example/\nhttp://b.example/\n"
    assert names(tmp_path) == ["web.seeds.txt", "web.warc.gz"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_nothing(tmp_path: Path, error: type[BaseException]) -> None:
    def fail() -> None:
        with whole_web(tmp_path / "web.warc.gz", []) as place:
            place.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == []


@pytest.mark.parametrize("taken", ["web.warc.gz", "web.seeds.txt"])
def test_what_exists_is_left_alone(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).write_text("mine")
    with pytest.raises(FileExistsError, match=taken), whole_web(tmp_path / "web.warc.gz", []):
        raise AssertionError("must not be reached")
    assert (tmp_path / taken).read_text() == "mine"
    with pytest.raises(FileNotFoundError, match="no folder"), whole_web(tmp_path / "none" / "web.warc.gz", []):
        raise AssertionError("must not be reached")
