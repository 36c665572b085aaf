"""What a replay in virtual time went by, as a reader wants it."""

from collections.abc import Mapping
from typing import Any


def clock_of(asked: Mapping[str, Any]) -> dict[str, str]:
    """By name: from the options of the replay, as they are recorded."""
    return {
        "Superstep": f"{asked['superstep']:g} s of virtual time",
        "Latency": str(asked["latency"]),
        "Delays": f"{asked['delay']:g} s a site, {asked['server_delay']:g} s a server"
        + _by_answers(asked["delay_factor"]),
        "Connections": f"{asked['connections']:,} a rank",
    }


def _by_answers(factor: float) -> str:
    """What answers that take long add to the delays."""
    if not factor:
        return ""
    return f", at least {'' if factor == 1 else f'{factor:g} times '}as long as the last answer"
