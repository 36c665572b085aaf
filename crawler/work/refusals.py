"""Why a result is refused: each reason has a name, which the ledger keeps."""

from typing import Self

REASONS = {
    "format": "no result of a format that this version reads",
    "size": "larger than a result of this unit can be, in bytes or in files",
    "signature": "not signed, or not by the key that it names",
    "unknown-key": "signed by a key that VOLUNTEERS does not have",
    "revoked-key": "signed by a key that was revoked before",
    "unknown-unit": "of a unit that the ledger does not have",
    "other-worklist": "of a unit of another worklist",
    "expired": "the unit's deadline is over",
    "replaced": "the unit was handed out anew",
    "twice": "the unit's result was merged before",
    "own-overlap": "repeats a unit that the same key has fetched",
    "path": "a name leads out of the result",
    "link": "a member is a link",
    "device": "a member is a device",
    "file-extra": "a file too many",
    "file-missing": "a file is missing",
    "cut-short": "a file ends too early",
    "altered": "a file is not the one that was signed",
    "body-altered": "a WARC file is not the one that was signed",
    "table-altered": "a table is not the one that was signed",
    "bomb": "a file unpacks to more than a result of this unit can hold",
    "warc": "a WARC file cannot be read to its end, or is not as committed",
    "digest": "a body is not what its digest says",
    "session": "not a session that cutweb check finds good",
    "url-foreign": "a page or outcome of a URL that is not in the unit",
    "url-missing": "a URL of the unit has neither page nor outcome",
    "too-early": "a request was made before the unit went out",
    "too-late": "a request was made after the result was handed in",
    "delay": "two requests to a site or server closer than its delay",
    "distrusted": "too much of what the volunteer saw differs from what others saw",
}
"""What each reason means."""


class Refusal(Exception):  # noqa: N818 - that is what it is
    """A result that is not taken, for one of `REASONS`; the message says what was found."""

    def __init__(self, reason: str, text: str) -> None:
        assert reason in REASONS, reason
        super().__init__(text)
        self.reason = reason
        self.unit: int | None = None
        """The unit whose result it is, if that is known, and handed in by a volunteer."""
        self.key: str | None = None
        """The public key of that volunteer."""

    def of(self, unit: int, key: str) -> Self:
        """Return the refusal with what is known of the result."""
        self.unit, self.key = unit, key
        return self
