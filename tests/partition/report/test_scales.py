"""Numbers as they are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from partition.quality.figures import BY_NAME
from partition.report.scales import axis_for, scale_for, tick_text


@pytest.mark.parametrize(
    ("name", "values", "unit", "texts"),
    [
        ("edge_cut", [0.0331, 1.0], "%", ["3.31", "100.00"]),
        ("volume_bytes", [64489.0, 5306461.0], "kB", ["64.5", "5,306.5"]),
        ("volume_bytes", [5.0, 120.0], "B", ["5", "120"]),
        ("volume_bytes", [0.0, 12e9], "GB", ["0.0", "12.0"]),
        ("messages", [3, 4032], "", ["3", "4,032"]),
        ("lookups_per_second", [363e3, 63e6], "thousand a second", ["363", "63,000"]),
        ("map_bytes_per_url", [0.0, 17.123], "B/URL", ["0.0", "17.1"]),
        ("seconds", [0.0012, 30.0], "s", ["0.0012", "30.0000"]),
    ],
)
def test_scales(name: str, values: list[float], unit: str, texts: list[str]) -> None:
    scale = scale_for(BY_NAME[name], values)
    assert scale.unit == unit
    assert [scale.text(value) for value in values] == texts


def test_only_means_of_counts_have_decimals() -> None:
    scale = scale_for(BY_NAME["messages"], [51.5, 240.0], is_whole=False)
    assert [scale.text(51.5), scale.text(51)] == ["51.5", "51"]
    assert scale_for(BY_NAME["ranks_per_site"], [1.333, 23.6], is_whole=False).text(1.333) == "1.33"


positive = st.floats(1e-6, 1e12)


@given(st.lists(positive | st.just(0.0), min_size=1))
def test_an_axis_holds_all_its_values(values: list[float]) -> None:
    axis = axis_for(values)
    assert all(-1e-6 <= axis.place(value) <= 1 + 1e-6 for value in values)
    assert list(axis.ticks) == sorted(set(axis.ticks))
    assert len(axis.ticks) >= 2
    assert (axis.place(axis.ticks[0]), axis.place(axis.ticks[-1])) == (pytest.approx(0), pytest.approx(1))


def test_axes_are_logarithmic_only_where_it_helps() -> None:
    assert axis_for([1.0, 1000.0]).is_logarithmic
    assert axis_for([1.0, 1000.0]).ticks == (1, 10, 100, 1000)
    assert axis_for([4.0, 90.0]).ticks == (2, 5, 10, 20, 50, 100)
    assert not axis_for([0.0, 1000.0]).is_logarithmic
    assert not axis_for([100.0, 900.0]).is_logarithmic
    assert axis_for([0.0, 90.0]).ticks == (0, 20, 40, 60, 80, 100)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.001, "0.001"), (1, "1"), (300, "300"), (1000, "1,000"), (20000, "20k"), (3e6, "3M"), (0.0, "0")],
)
def test_ticks_are_short(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_what_is_counted_has_ticks_at_whole_numbers() -> None:
    assert axis_for([0.0, 2.0]).ticks[:3] == (0, 0.5, 1.0)
    assert axis_for([0.0, 2.0], is_whole=True).ticks == (0, 1, 2)
    assert axis_for([0.0, 1.0], is_whole=True).ticks == (0, 1)
    assert axis_for([0.0, 90.0], is_whole=True).ticks == axis_for([0.0, 90.0]).ticks
