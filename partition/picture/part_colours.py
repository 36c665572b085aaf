"""The colour of each part, the same in all that is drawn of a cut, on screens and on paper.

Parts that stand side by side in the tour differ in lightness, which a printer without colours shows, too; hues go round
the colour circle along the tour, so parts that exchange much look alike.  All are light enough for black letters.
"""

from collections.abc import Sequence
from math import cos, pi, sin

_TONES = ((0.93, 0.065), (0.75, 0.1), (0.85, 0.085), (0.68, 0.1))
"""Lightness and chroma, one after the other along the tour."""
_FIRST_HUE = 0.15


def part_colours(order: Sequence[int]) -> dict[int, str]:
    """Return the colour of each part as ``#rrggbb``; ``order`` is the tour, each part once."""
    count = len(order)
    return {
        part: _srgb(*_TONES[place % len(_TONES)], 2 * pi * (place / count + _FIRST_HUE))
        for place, part in enumerate(order)
    }


def _srgb(lightness: float, chroma: float, hue: float) -> str:
    """A colour of OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020), ``hue`` in radians."""
    a, b = chroma * cos(hue), chroma * sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _encoded(min(1.0, max(0.0, channel)))):02x}" for channel in linear)


def _encoded(linear: float) -> float:
    """A channel as sRGB has it (IEC 61966-2-1)."""
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
