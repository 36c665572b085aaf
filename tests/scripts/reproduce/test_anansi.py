"""The tables of Anansi's thesis: the model holds for simulated webs, and the document has what is printed."""

from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from crawler.feasibility.random_web import RandomWeb
from scripts.reproduce.random_web_simulation import pending_of
from scripts.reproduce_anansi import PEAKS, peaks, reckoning

PAGES, LINKS, WEBS = 100_000, 20, 20
DOCUMENT = (Path(__file__).resolve().parents[3] / "docs" / "feasibility.md").read_text()


@pytest.fixture(scope="module")
def webs() -> list[np.ndarray]:
    return [pending_of(PAGES, LINKS, seed) for seed in range(WEBS)]


def test_the_model_is_within_a_hundredth_of_simulated_webs(webs: list[np.ndarray]) -> None:
    model = RandomWeb(PAGES, LINKS)
    expected = np.array([model.pending(fetched) for fetched in range(1, PAGES + 1)])
    assert all(np.abs(web - expected[: len(web)]).max() < PAGES / 100 for web in webs)
    assert all(len(web) > 0.999 * PAGES for web in webs)


def test_the_peaks_of_simulated_webs_lie_where_the_model_has_them(webs: list[np.ndarray]) -> None:
    assert fmean(int(web.argmax()) + 1 for web in webs) == pytest.approx(
        RandomWeb(PAGES, LINKS).peak().fetched, rel=0.02
    )


def test_a_simulated_web_has_as_many_links_as_asked() -> None:
    """All of 5 pages link to all others: after the first fetch 4 wait, then one less each time."""
    assert pending_of(5, 4, seed=1).tolist() == [4, 3, 2, 1, 0]
    assert pending_of(50, 1, seed=1)[0] == 1


@pytest.mark.parametrize(("row", "pages"), list(enumerate(PEAKS, 1)))
def test_rows_of_the_thesis_are_those_of_other_numbers_of_links(row: int, pages: int) -> None:
    pending, fetched = PEAKS[pages]
    peak = RandomWeb(pages, 200 * row).peak()
    assert abs(peak.pending - pending) <= 1.5
    assert abs(peak.fetched - fetched) <= 4.5


@pytest.mark.parametrize(("name", "text"), [("peaks", peaks()), ("reckoning", reckoning())])
def test_the_document_has_the_tables(name: str, text: str) -> None:
    assert f"<!-- {name} -->\n{text}<!-- /{name} -->" in DOCUMENT
