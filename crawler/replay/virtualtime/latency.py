"""How long a request takes in a replay with virtual time: as recorded, or by a model, for each rank and site."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import click

from crawler.config.option_types import Number

RECORDED = "recorded"
FILE = "@"
"""What the name of a file of latencies begins with."""
_MODEL = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?(?:e\d+)?)/s)?")
_MILLISECONDS = 1000.0
_SECONDS, _BYTES_PER_SECOND = Number(min=0), Number(min=1)


class Latency(NamedTuple):
    """So many seconds, and as many as the body takes at a rate, if there is one."""

    seconds: float
    bytes_per_second: float | None = None

    def milliseconds(self, size: int) -> float:
        """How long the request of a page of ``size`` bytes takes."""
        transfer = size / self.bytes_per_second if self.bytes_per_second is not None else 0.0
        return _MILLISECONDS * (self.seconds + transfer)


class Latencies(NamedTuple):
    """How long requests of one rank take: to a site of ``by_site`` as it says, to others as ``elsewhere`` does.

    None is as long as it was recorded.
    """

    elsewhere: Latency | None
    by_site: Mapping[str, Latency] = {}

    def milliseconds(self, site: str, recorded: float, size: int) -> float:
        """How long the request of a page of a site takes that took ``recorded`` ms and brought ``size`` bytes."""
        latency = self.by_site.get(site, self.elsewhere)
        return recorded if latency is None else latency.milliseconds(size)


class LatencyModel(click.ParamType[str]):
    """``recorded``, ``SECONDS``, ``SECONDS+BYTES/s``, or ``@FILE``, which is not read here."""

    name = "latency"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text == RECORDED or (text.startswith(FILE) and text != FILE):
            return text
        try:
            latency_of(text)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return text


def latency_of(model: str) -> Latency:
    """Parse ``SECONDS`` or ``SECONDS+BYTES/s``.  Raises ValueError if it is neither."""
    found = _MODEL.fullmatch(model)
    if found is None or (found[2] is not None and float(found[2]) == 0):
        raise ValueError(
            f"{model!r} is neither {RECORDED} nor a model: 0.1 is 0.1 seconds a request, 0.1+1e6/s adds the time that "
            "the body takes at a million bytes a second"
        )
    try:
        rate = None if found[2] is None else _BYTES_PER_SECOND.convert(found[2], None, None)
        return Latency(_SECONDS.convert(found[1], None, None), rate)
    except click.BadParameter as error:
        raise ValueError(error.message) from error
