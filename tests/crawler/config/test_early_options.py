"""What is known of a command line before MPI begins."""

from pathlib import Path

import pytest

from crawler.config.command_line import crawl_command
from crawler.config.early_options import early_options


@pytest.mark.parametrize(
    ("arguments", "out", "seconds"),
    [
        (["http://a.example/", "--out", "x"], "x", 600.0),
        (["--out=x", "--start-seconds", "5", "http://a.example/"], "x", 5.0),
        (["--resume", "y", "--start-seconds=7.5"], "y", 7.5),
        (["--seeds", "--out", "--out", "x"], "x", 600.0),
    ],
)
def test_session_and_limit(arguments: list[str], out: str, seconds: float) -> None:
    assert early_options(crawl_command(), arguments) == (Path(out), seconds)


@pytest.mark.parametrize(
    "arguments",
    [[], ["http://a.example/"], ["--out"], ["--no-such"], ["--out", "x", "--start-seconds", "soon"]],
)
def test_what_is_wrong_is_told_later(arguments: list[str]) -> None:
    assert early_options(crawl_command(), arguments) is None


def test_a_file_says_what_the_command_line_does_not(tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    path.write_text('out = "x"\nstart_seconds = 5\n')
    assert early_options(crawl_command(), ["--config", str(path)]) == (Path("x"), 5.0)
    assert early_options(crawl_command(), ["--config", str(path), "--start-seconds", "6"]) == (Path("x"), 6.0)
    path.write_text("out =")
    assert early_options(crawl_command(), ["--config", str(path)]) is None
    assert early_options(crawl_command(), ["--config", str(tmp_path / "none"), "--out", "x"]) == (Path("x"), 600.0)
