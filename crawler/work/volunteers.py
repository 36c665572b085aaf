"""VOLUNTEERS: whose results are taken.  ``NAME PUBLIC-KEY [revoked DATE]`` a line; # begins a comment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from crawler.work.keys import is_public_key
from crawler.work.refusals import Refusal
from crawler.work.work_error import WorkError

_REVOKED = "revoked"


@dataclass(frozen=True)
class KnownVolunteer:
    """Somebody whose key is known; results that are received from ``revoked`` on are refused."""

    name: str
    key: str
    revoked: datetime | None = None


def read_volunteers(path: Path) -> Mapping[str, KnownVolunteer]:
    """Return the volunteers by public key.  Raises WorkError, which names the line, if one is not as it should be."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise WorkError(f"{path}: {getattr(error, 'strerror', None) or 'no text'}") from error
    known: dict[str, KnownVolunteer] = {}
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        volunteer = _volunteer_of(words)
        if volunteer is None:
            raise WorkError(f"{path}: line {number}: must be NAME PUBLIC-KEY [revoked DATE], the date as in 2026-03-01")
        if volunteer.key in known:
            raise WorkError(
                f"{path}: line {number}: the key of {volunteer.name} is that of {known[volunteer.key].name}"
            )
        known[volunteer.key] = volunteer
    return known


def _volunteer_of(words: list[str]) -> KnownVolunteer | None:
    match words:
        case [name, key] if is_public_key(key):
            return KnownVolunteer(name, key)
        case [name, key, word, date] if is_public_key(key) and word == _REVOKED:
            try:
                revoked = datetime.fromisoformat(date)
            except ValueError:
                return None
            return KnownVolunteer(name, key, revoked if revoked.tzinfo else revoked.replace(tzinfo=UTC))
        case _:
            return None


def accepted_volunteer(known: Mapping[str, KnownVolunteer], key: str, at: datetime) -> KnownVolunteer:
    """Return whose key it is.  Raises Refusal if it is nobody's, or was revoked by then."""
    volunteer = known.get(key)
    if volunteer is None:
        raise Refusal("unknown-key", f"signed by {key}, which is no volunteer's")
    if volunteer.revoked is not None and at >= volunteer.revoked:
        raise Refusal("revoked-key", f"the key of {volunteer.name} was revoked on {volunteer.revoked:%Y-%m-%d}")
    return volunteer
