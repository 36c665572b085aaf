"""Why a URL has no page in a recording, as a rule on URLs: what was not fetched then is not asked for now."""

from collections.abc import Sequence

import numpy as np

from crawler.discovery.admission import ADMITTED, Codes
from crawler.replay.recording import Recording
from sessions.url import Hashes


class RecordedAdmission:
    """A `crawler.discovery.admission.Admission` that admits the recording's pages; the others end as they did there.

    What the recorded crawl left in its frontier, or never heard of, is filtered as not recorded.
    """

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.is_everything = len(recording) == recording.page_count

    def codes(self, hashes: Hashes, urls: Sequence[str]) -> Codes:
        recording = self._recording
        numbers = recording.numbers_of(hashes)
        codes = np.full(len(hashes), ADMITTED, np.uint8)
        codes[numbers < 0] = 1
        has_reason = numbers >= recording.page_count
        codes[has_reason] = recording.reasons[numbers[has_reason] - recording.page_count] + 1
        return codes

    def outcome(self, code: int) -> tuple[str, str]:
        return self._recording.reason_names[code - 1]
