"""Tables and plots of made-up results."""

import re
from typing import Any
from xml.etree import ElementTree

from partition.quality.figures import BY_NAME
from partition.quality.request import ALL_MODELS
from partition.report.plots import Plot, as_svg, legend
from partition.report.results import Result, Spread
from partition.report.scales import scale_for
from partition.report.tables import ResultGrid, even, marks_in, relative_table, table_of

VOLUME = BY_NAME["volume_links"]
NONE = "&ndash;"


def result(model: str, k: int, volume: float, **figures: float) -> Result:
    values: dict[str, Any] = {
        "storage_imbalance": 0.01,
        "requests_imbalance": 0.02,
        "empty_parts": 0,
        "volume_links": volume,
    }
    told = {name: Spread(value, value, value) for name, value in (values | figures).items()}
    return Result(model, k, (1,), told, ())


GRID = ResultGrid(
    [
        result("page", 2, 10),
        result("page", 4, 30),
        result("site", 2, 5, storage_imbalance=0.051),
        result("prefix", 2, 12),
        result("site-hash", 2, 100, requests_imbalance=0.9, empty_parts=1),
        result("site-hash", 4, 200),
    ],
    even(0.05),
)


def rows(table: str) -> list[list[str]]:
    body = table.partition("<tbody>")[2]
    return [re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row) for row in re.findall(r"<tr>(.*?)</tr>", body)]


def test_a_table_has_models_across_and_k_down_the_best_in_bold_and_marks() -> None:
    assert rows(table_of(GRID, VOLUME, "x")) == [
        ["2", "<b>10</b>", "5<sup>†</sup>", "12", "100<sup>†‡</sup>"],
        ["4", "<b>30</b>", NONE, NONE, "200"],
    ]


def test_many_models_stand_down_and_k_across() -> None:
    many = ResultGrid([result(f"m{number}", k, 100.0 * number + k) for number in range(9) for k in (2, 4)], even(0.05))
    found = table_of(many, VOLUME, "x")
    assert re.findall(r'<th scope="col">(.*?)</th>', found) == ["model", "K = 2", "K = 4"]
    assert rows(found) == [
        [f"m{number}", *(f"<b>{k}</b>" if number == 0 else f"{100 * number + k}" for k in (2, 4))]
        for number in range(9)
    ]


def test_least_and_most_stand_below_the_mean_where_they_differ() -> None:
    figures = {**GRID.results[0].figures, "volume_links": Spread(1234.5, 1200, 1269)}
    grid = ResultGrid([Result("page", 2, (1, 2), figures, ())], even(0.05))
    assert rows(table_of(grid, VOLUME, "x")) == [["2", "1,234<small>1,200&ndash;1,269</small>"]]


def test_ratios_are_those_of_means() -> None:
    found = rows(relative_table(GRID, VOLUME, "site-hash", "x"))
    assert found[0] == ["2", "10.00", "5.00<sup>†</sup>", "12.00", "100.00<sup>†‡</sup>"]
    assert found[1][1] == "15.00"


def test_marks_are_those_of_all_results() -> None:
    assert set(marks_in(GRID)) == {"†", "‡"}
    assert marks_in(ResultGrid(GRID.results[:2], even(0.05))) == ""


def series_of(plot: Plot) -> dict[str, Any]:
    """The drawn lines and markers by model, after the SVG was read as XML."""
    image = ElementTree.fromstring(as_svg(plot))
    return {group.attrib["class"]: group for group in image.iter("g") if "series" in group.attrib.get("class", "")}


def test_a_plot_draws_each_model_through_its_points() -> None:
    values = {model: {2: Spread(1.0, 0, 2), 4: Spread(3.0, 3, 3)} for model in ALL_MODELS}
    del values["site"][2]
    values["prefix"] = {}
    for at, line in enumerate(values.values()):  # apart, as a line under another is drawn otherwise
        line.update({k: Spread(spread.mean + at / 10, spread.least, spread.most) for k, spread in line.items()})
    plot = Plot("Volume <links>", [2, 4], values, scale_for(VOLUME, [1, 3]), limit=2.5)
    drawn = series_of(plot)
    assert set(drawn) == {f"series {model}" for model in ALL_MODELS if model != "prefix"}
    line = drawn["series page"].find("path[@class='line']")
    assert line is not None
    (x1, y1), (x2, y2) = (map(float, point.split()) for point in line.attrib["d"][1:].split("L"))
    assert x1 < x2
    assert y1 > y2
    titles = [title.text for title in drawn["series page"].iter("title")]
    assert titles == ["page, K=2: 1 (0 to 2)", "page, K=4: 3"]
    assert len(drawn["series page"].findall("path[@class='bar']")) == 1
    assert len(list(drawn["series site"].iter("title"))) == 1


def test_numbers_stand_at_their_places_and_names_do_not_touch() -> None:
    series = {"page": {number: Spread(1.0, 1.0, 1.0) for number in range(5)}}
    places = {0: 0.0, 1: 30.0, 2: 31.0, 3: 90.0, 4: 455.0}
    image = ElementTree.fromstring(
        as_svg(Plot("x", range(5), series, scale_for(VOLUME, [1.0]), places=places, across="age"))
    )
    across = [float(circle.attrib["cx"]) for circle in image.iter("circle")]
    assert [round((x - across[0]) / (across[4] - across[0]), 2) for x in across] == [0.0, 0.07, 0.07, 0.2, 1.0]
    ticks = [text.text for text in image.iter("text") if text.attrib.get("class") == "tick x"]
    assert ticks == ["0", "30", "90", "455", "age"]


def test_one_k_and_all_zeros_can_be_plotted() -> None:
    zero = Spread(0.0, 0, 0)
    assert series_of(Plot("Zero", [8], {"page": {8: zero}}, scale_for(VOLUME, [0])))


def test_the_legend_names_every_model() -> None:
    shown = legend(ALL_MODELS)
    assert all(model in shown for model in ALL_MODELS)
    ElementTree.fromstring(shown)


def test_a_series_of_another_name_is_drawn_as_a_model() -> None:
    plot = Plot(
        "Volume", [2], {"old < new": {2: Spread(1.0, 1, 1)}}, scale_for(VOLUME, [1]), looks={"old < new": "site"}
    )
    (drawn,) = series_of(plot).values()
    assert drawn.attrib["class"] == "series site"
    assert [title.text for title in drawn.iter("title")] == ["old < new, K=2: 1"]


def test_a_legend_names_the_dotted_line_if_there_is_one() -> None:
    def named(shown: str) -> list[str]:
        return ["".join(item.itertext()) for item in ElementTree.fromstring(shown)]

    assert named(legend(["old < new"], {"old < new": "site"}, "")) == ["old < new"]
    assert named(legend(["page"], limit="random order")) == ["page", "random order"]
