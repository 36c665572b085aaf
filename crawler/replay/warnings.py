"""What a reader has to know before the figures: a session that is not complete, a map of other pages, lost bodies."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crawler.process.terminal import tell
from crawler.replay.recording import Recording

_FEW = 0.5
"""A map that holds a smaller share of a session's URLs is likely to be that of another web."""


def map_warnings(recording: Recording, unknown: npt.NDArray[np.bool_]) -> tuple[str, ...]:
    """A line if a partition map holds fewer than half of the recording's URLs, nothing if it holds more.

    ``unknown`` says which URLs it does not hold, bool[U].  A URL that links lead to and that was never downloaded
    counts as one of the session's.
    """
    urls, pages = len(recording), recording.page_count
    held, held_pages = (int(np.count_nonzero(~unknown[:count])) for count in (urls, pages))
    if held >= _FEW * urls:
        return ()
    return (
        f"the partition map holds only {held:,} of the session's {urls:,} URLs ({held / urls:.1%}), and {held_pages:,} "
        f"of its {pages:,} pages ({held_pages / pages:.1%}): the rule for unknown URLs says who owns all others",
    )


def session_warnings(recording: Recording) -> tuple[str, ...]:
    """A line if the recorded crawl ended early."""
    return (str(recording.incomplete),) if recording.incomplete is not None else ()


def warn(lines: Sequence[str]) -> None:
    """Say these lines on stderr, each once."""
    for line in dict.fromkeys(lines):
        tell(f"warning: {line}", err=True)
