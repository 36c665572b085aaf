"""How long a request takes in a replay with virtual time."""

import re

import click

from crawler.config.option_types import Number

RECORDED = "recorded"
_MODEL = re.compile(r"(\d+(?:\.\d+)?)(?:\+(\d+(?:\.\d+)?(?:e\d+)?)/s)?")
_MILLISECONDS = 1000.0
_SECONDS, _BYTES_PER_SECOND = Number(min=0), Number(min=1)


class LatencyModel(click.ParamType[str]):
    """``recorded``, ``SECONDS`` or ``SECONDS+BYTES/s``."""

    name = "latency"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        found = _MODEL.fullmatch(text)
        if text != RECORDED and (found is None or (found[2] is not None and float(found[2]) == 0)):
            self.fail(
                f"{text!r} is neither {RECORDED} nor a model: 0.1 is 0.1 seconds a request, 0.1+1e6/s adds the time "
                "that the body takes at a million bytes a second",
                param,
                ctx,
            )
        if found is not None:
            _SECONDS.convert(found[1], param, ctx)
        if found is not None and found[2] is not None:
            _BYTES_PER_SECOND.convert(found[2], param, ctx)
        return text


def milliseconds_of(model: str, recorded: float, size: int) -> float:
    """How long the request of a page takes, in ms, of which it took ``recorded`` ms and brought ``size`` bytes."""
    if model == RECORDED:
        return recorded
    found = _MODEL.fullmatch(model)
    assert found is not None
    transfer = size / float(found[2]) if found[2] is not None else 0.0
    return _MILLISECONDS * (float(found[1]) + transfer)
