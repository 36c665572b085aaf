"""What may stand beside --worklist."""

from pathlib import Path

import pytest

from crawler.config.command_line import UsageError, parsed
from crawler.config.crawl_options import CrawlOptions

WORKLIST = ["--worklist", "w", "--out", "s"]


def test_a_worklist_with_a_share() -> None:
    options = parsed([*WORKLIST, "--new-share", "0.5", "--beyond"])
    assert isinstance(options, CrawlOptions)
    assert (options.worklist, options.new_share, options.beyond) == (Path("w"), 0.5, True)


@pytest.mark.parametrize("given", [["--order", "bfs"], ["--seeds", "f"], ["http://a.example/"]])
def test_nothing_else_says_what_is_fetched(given: list[str]) -> None:
    with pytest.raises(UsageError, match=r"--worklist and .* contradict each other: .*leave one of the two out$"):
        parsed([*WORKLIST, *given])


def test_a_file_of_options_does_not_either(tmp_path: Path) -> None:
    config = tmp_path / "crawl.toml"
    config.write_text('seeds = "f"\n')
    with pytest.raises(UsageError, match="--worklist and --seeds contradict"):
        parsed([*WORKLIST, "--config", str(config)])


@pytest.mark.parametrize("share", ["-0.1", "1.1", "nan", "x"])
def test_a_share_is_from_0_to_1(share: str) -> None:
    with pytest.raises(UsageError, match="--new-share"):
        parsed([*WORKLIST, "--new-share", share])
