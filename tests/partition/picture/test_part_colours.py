"""Colours of parts: black letters can be read on all, and neighbours can be told apart without colour."""

from itertools import pairwise

import pytest

from partition.picture.part_colours import part_colours


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.1)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return sum(share * value for share, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("k", [1, 2, 4, 8, 64, 256])
def test_black_can_be_read_and_grey_tells_neighbours_apart(k: int) -> None:
    colours = part_colours(range(k))
    lights = [luminance(colours[part]) for part in range(k)]
    assert min((light + 0.05) / 0.05 for light in lights) >= 4.5
    ratios = [(max(pair) + 0.05) / (min(pair) + 0.05) for pair in pairwise(lights)]
    assert all(ratio > 1.25 for ratio in ratios)


def test_colours_follow_the_tour_and_not_the_number() -> None:
    order = (2, 0, 3, 1)
    assert [part_colours(order)[part] for part in order] == list(part_colours(range(4)).values())
    assert len(set(part_colours(range(16)).values())) == 16
