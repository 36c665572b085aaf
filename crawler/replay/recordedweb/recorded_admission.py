"""Why a URL has no page in a recording, as a rule on URLs: what was not fetched then is not asked for now."""

from collections.abc import Sequence

import numpy as np

from crawler.discovery.admission import ADMITTED, Codes
from crawler.replay.recording import Recording
from sessions.url import Hashes

_NOT_RECORDED = ADMITTED + 1
"""The code of the first reason."""


class RecordedAdmission:
    """A `crawler.discovery.admission.Admission` that admits the recording's pages; the others end as they did there.

    What the recorded crawl left in its frontier, or never heard of, is filtered as not recorded.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.is_everything = len(recording) == recording.page_count
        self._codes = np.full(len(recording) + 1, _NOT_RECORDED, np.uint8)  # the last one is of number -1
        self._codes[: recording.page_count] = ADMITTED
        self._codes[recording.page_count : -1] = recording.reasons + 1

    def codes(self, hashes: Hashes, urls: Sequence[str]) -> Codes:
        codes: Codes = self._codes[self._recording.numbers_of(hashes)]
        return codes

    def outcome(self, code: int) -> tuple[str, str]:
        return self._recording.reason_names[code - 1]
