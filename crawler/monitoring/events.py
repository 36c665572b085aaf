"""What happens on a rank, told where it happens, to a log if somebody keeps one (`crawler.monitoring.event_log`)."""

import logging
from typing import Any

EVENTS = logging.getLogger("cutweb.events")
"""Where events go.  While nobody keeps a log they go nowhere: its level is above theirs."""
EVENTS.propagate = False
EVENTS.setLevel(logging.WARNING)


def say(event: str, **fields: Any) -> None:
    """Say that something has happened, a few words, with what is to be known of it: numbers, text, None."""
    if EVENTS.isEnabledFor(logging.INFO):
        EVENTS.info(event, extra={"fields": fields})
