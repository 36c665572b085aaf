"""A report from a session: what is in its files, and that they are there whole or not at all."""

import csv
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from partition.graphs.link_graph import GraphError, link_graph
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings
from partition.quality import make_report as making
from partition.quality import trials
from partition.quality.figures import FIGURES
from partition.quality.make_report import ReportError, make_report
from partition.quality.request import USUAL_MODELS, QualityRequest
from partition.quality.trial import run_trial
from sessions.session import Session, SessionError
from tests.partition.quality.support.definitions import figures_by_definition
from tests.partition.quality.support.webs import SmallWeb, ring
from tests.partition.quality.test_trial import hashed, numbers_of, owner_for
from tests.sessions.support.builder import Crawl

CUT = Settings(tolerance=0.2, effort="low")
REQUEST = QualityRequest(parts=(3, 5), seeds=(7, 8), settings=CUT, unknown="prefix")
HASHES = ("page-hash", "site-hash")
WEB = ring()


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return WEB.session(tmp_path_factory.mktemp("webs") / "ring")


@pytest.fixture(scope="module")
def report(session: Path) -> Path:
    """A report whose trials all ran in this process, which is faster; test_trials.py has them in their own."""
    out = session.parent / "report"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            making,
            "run_trials",
            lambda graph, trials, request, folder, _: [run_trial(graph, trial, request, folder) for trial in trials],
        )
        make_report(session, REQUEST, out)
    return out


def record(report: Path) -> dict:
    return json.loads((report / "report.json").read_text())


def test_a_report_is_these_files(report: Path) -> None:
    assert {path.name for path in report.iterdir()} == {"report.html", "report.json", "results.csv", "trials.csv"}
    assert {path.name for path in report.parent.iterdir()} == {"ring", "report"}


def test_every_figure_of_every_trial_is_what_its_definition_says(session: Path, report: Path) -> None:
    graph = link_graph(Session.open(session))
    of_links = {figure.name for figure in FIGURES if not figure.of_machine} - {"map_bytes_per_url", "seconds_imbalance"}
    done = [trial for trial in record(report)["trials"] if trial["reason"] is None]
    assert len(done) == 4 + 2 + 4 + 3 * 2
    for trial in done:
        k = trial["k"]
        if trial["model"] in HASHES:
            own = {page: hashed(trial["model"], k, page) for page in WEB.sizes}
            owner = lambda _, url, model=trial["model"], k=k: hashed(model, k, url)  # noqa: E731
        else:
            partition = partition_pages(graph, trial["model"], k, replace(CUT, seed=trial["seed"]))
            own = dict(zip(graph.urls.to_pylist(), partition.parts.tolist(), strict=True))
            owner = owner_for("prefix", partition, own)
        in_order = SmallWeb({page: WEB.sizes[page] for page in graph.urls.to_pylist()}, WEB.known, WEB.links)
        expected = figures_by_definition(in_order, own, owner, numbers_of(in_order), k)
        assert expected.keys() == of_links
        for name in of_links:
            assert trial["figures"][name] == pytest.approx(expected[name]), (trial["model"], k, name)


def test_results_are_means_of_the_trials(report: Path) -> None:
    told = record(report)
    assert [(result["model"], result["k"]) for result in told["results"]] == [
        *(("page", k) for k in (3, 5)),
        ("site", 3),
        *((model, k) for model in ("prefix", "url-range", *HASHES) for k in (3, 5)),
    ]
    for result in told["results"]:
        same = [
            trial["figures"]
            for trial in told["trials"]
            if (trial["model"], trial["k"]) == (result["model"], result["k"])
        ]
        assert len(same) == (1 if result["model"] in ("url-range", *HASHES) else 2)
        for name, spread in result["figures"].items():
            values = [figures[name] for figures in same]
            assert spread["mean"] == pytest.approx(sum(values) / len(values))
            assert (spread["min"], spread["max"]) == (min(values), max(values))


def test_what_a_graph_does_not_allow_is_left_out_with_a_line(report: Path) -> None:
    (left,) = record(report)["left_out"]
    assert (left["model"], left["k"]) == ("site", 5)
    assert left["reason"] == "there are 4 sites, so some parts would be empty"


def test_the_record_names_session_date_version_and_settings(session: Path, report: Path) -> None:
    told = record(report)
    assert (told["session"]["session"], told["session"]["run"]) == ("ring", Session.open(session).header["run"])
    assert told["session"]["pages"] == len(WEB.sizes)
    assert told["session"]["links"] == sum(target in WEB.sizes for _, target in WEB.links)
    assert told["session"]["known_links"] == sum(target in WEB.known for _, target in WEB.links)
    assert told["session"]["bytes"] == sum(WEB.sizes.values())
    assert re.fullmatch(r"cutweb \S+", told["software"])
    assert re.match(r"\d{4}-\d\d-\d\dT", told["made"])
    assert told["request"]["settings"]["tolerance"] == 0.2
    assert told["request"]["seeds"] == [7, 8]
    assert set(told["figures"]) == {figure.name for figure in FIGURES}


def test_the_csvs_say_the_same(report: Path) -> None:
    told = record(report)
    with (report / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["volume_bytes_mean"]) for row in rows] == [
        result["figures"]["volume_bytes"]["mean"] for result in told["results"]
    ]
    with (report / "trials.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(told["trials"])


class Page(HTMLParser):
    """What a page consists of; notes elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.captions = 0
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self.captions += tag == "caption"
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_whole_and_needs_nothing_else(report: Path) -> None:
    text = (report / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert not {"src", "href", "xlink:href"} & {name for name, _ in page.attributes}
    assert "url(" not in text
    assert "@import" not in text
    assert "<script" not in text
    assert "://" not in text.partition("</style>")[0]
    assert not [value for _, value in page.attributes if value and "://" in value]
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_the_page_has_a_table_for_every_figure(report: Path) -> None:
    page = Page((report / "report.html").read_text())
    figures = [figure for figure in FIGURES if figure.name != "seconds_imbalance"]  # for want of a table of seconds
    for figure in figures:
        assert (figure.title in page.text and figure.meaning in page.text) or figure.name == "empty_parts"
    assert page.captions == len(figures) + 1 + 2 * 3  # one of ratios, three with each picture of a cut
    numbers = [int(number) for number in re.findall(r"Table (\d+)\.", page.text)]
    assert numbers == list(range(1, page.captions + 1))
    assert "site at K=5 left out" in page.text


def test_the_page_shows_the_numbers_of_the_record(report: Path) -> None:
    text = (report / "report.html").read_text()
    first = next(table for table in text.split("<table>") if "Number of the links between" in table)
    told = {(result["model"], result["k"]): result["figures"] for result in record(report)["results"]}
    row = re.search(r'<th scope="row">3</th>(.*?)</tr>', first)
    assert row is not None
    shown = [float(cell) for cell in re.findall(r"<td>(?:<b>)?([\d.]+)", row[1])]
    wanted = [told[model, 3]["volume_links"]["mean"] for model in USUAL_MODELS]
    assert shown == pytest.approx(wanted, abs=0.5)  # the page has whole links


def test_without_urls_a_report_counts_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [f"http://pages.invalid/{number}" for number in range(30)]
    links = tuple((numbers[here], numbers[(here + step) % 30]) for here in range(30) for step in (1, 2, 7))
    session = SmallWeb(dict.fromkeys(numbers, 1), (), links).session(tmp_path / "numbers")
    monkeypatch.setattr(
        making, "run_trials", lambda graph, listed, *rest: [run_trial(graph, trial, *rest[:2]) for trial in listed]
    )
    made = make_report(session, QualityRequest(parts=(2, 3), seeds=(1,)), tmp_path / "out")
    assert {result.model for result in made.results} == {"page", "url-range", "page-hash"}
    assert [left.model for left in made.left_out] == ["site", "prefix", "site-hash"]
    text = (tmp_path / "out" / "report.html").read_text()
    assert "Volume, every link = 1" in text
    assert "the pages have no URLs, so figures of bytes of URLs" in text
    assert "Ranks per site" not in text
    assert record(tmp_path / "out")["session"]["sites"] is None


def test_an_empty_folder_may_be_written_but_no_other(session: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(SessionError, match="full: exists and is not empty"):
        make_report(session, REQUEST, tmp_path / "full")
    assert list((tmp_path / "full").iterdir()) == [tmp_path / "full" / "mine"]


@pytest.mark.parametrize("stage", ["run_trials", "as_html"])
def test_nothing_is_left_when_it_fails(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    def fail(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        making,
        "run_trials",
        lambda graph, listed, request, folder, _: [run_trial(graph, trial, request, folder) for trial in listed[-1:]],
    )
    monkeypatch.setattr(making, stage, fail)
    with pytest.raises(KeyboardInterrupt):
        make_report(session, REQUEST, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_report_of_nothing_is_refused(session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        making, "run_trials", lambda graph, listed, *rest: [run_trial(graph, trial, *rest[:2]) for trial in listed]
    )
    with pytest.raises(ReportError, match="nothing to report; site at K=9 left out: there are 4 sites"):
        make_report(session, QualityRequest(models=("site",), parts=(9,), seeds=(1,)), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_no_session_and_no_pages_are_told(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="no such file"):
        make_report(tmp_path / "none", REQUEST, tmp_path / "out")
    Crawl(tmp_path / "empty").close()
    with pytest.raises(GraphError, match="no pages were downloaded"):
        make_report(tmp_path / "empty", REQUEST, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert trials.__name__ == "partition.quality.trials"
