"""Maps of what ranks send each other, read back from the SVG."""

import re
from xml.etree import ElementTree

import numpy as np

from crawler.replay.reporting.heatmap import SHADES, heat_map, shade_legend, shading_for


def test_shades_go_from_the_least_to_the_most_by_equal_factors() -> None:
    values = np.array([[0, 1], [9, 10**6]])
    shading = shading_for(values)
    assert shading.shade(values).tolist() == [[0, 1], [1, SHADES]]
    np.testing.assert_allclose(shading.limits, [10.0**power for power in range(1, SHADES + 1)])


def test_equal_values_and_nothing_have_a_shade() -> None:
    for values in (np.full((2, 2), 7), np.zeros((2, 2), np.int64)):
        assert set(shading_for(values).shade(values).ravel().tolist()) <= {0, 1}


def test_a_square_stands_at_its_sender_and_receiver() -> None:
    pairs = np.array([[0, 5, 0], [0, 0, 0], [5000, 0, 0]])
    image = ElementTree.fromstring(heat_map("a < b", pairs, shading_for(pairs)))
    squares = {
        path.attrib["class"]: re.findall(r"M(\d+) (\d+)", path.attrib["d"])
        for path in image.iter("path")
        if path.attrib["class"] != "frame"
    }
    assert squares == {"shade1": [("1", "0")], f"shade{SHADES}": [("0", "2")]}


def test_the_legend_has_every_shade() -> None:
    legend = ElementTree.fromstring(shade_legend(shading_for(np.array([1, 10**6]))))
    assert ["".join(item.itertext()) for item in legend] == [
        "to 10 B",
        "to 100 B",
        "to 1 kB",
        "to 10 kB",
        "to 100 kB",
        "to 1 MB",
    ]
