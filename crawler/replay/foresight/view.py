"""The outlooks of a foresight by way, K and session: what tables, plots and sentences look things up in."""

from collections.abc import Iterable
from functools import cached_property

from crawler.replay.foresight.figures import Value
from crawler.replay.foresight.foresight import Foresight, Outlook
from crawler.replay.foresight.request import Candidate

WEIGHTS = ("storage_imbalance", "requests_imbalance")
"""The imbalances that a tolerance is about."""
_SLACK = 1e-9


class View:
    """Looks up what a foresight says.  Session 0 is the previous one: its figures are the prediction."""

    def __init__(self, foresight: Foresight) -> None:
        self.tolerance = foresight.request.tolerance
        self._outlooks = {(outlook.candidate, outlook.session): outlook for outlook in foresight.outlooks}

    @cached_property
    def candidates(self) -> list[Candidate]:
        """All candidates, by model, K and rule."""
        return list(dict.fromkeys(candidate for candidate, _ in self._outlooks))

    @cached_property
    def models(self) -> list[str]:
        """The models that there are outlooks of."""
        return list(dict.fromkeys(candidate.model for candidate in self.candidates))

    @cached_property
    def rules(self) -> list[str]:
        """The rules for unknown URLs that there are outlooks of."""
        return list(dict.fromkeys(candidate.rule for candidate in self.candidates if candidate.rule is not None))

    @cached_property
    def ways(self) -> dict[str, list[Candidate]]:
        """The candidates of each way, by K."""
        ways: dict[str, list[Candidate]] = {}
        for candidate in sorted(self.candidates, key=lambda candidate: candidate.k):
            ways.setdefault(candidate.way, []).append(candidate)
        return {way: ways[way] for way in dict.fromkeys(candidate.way for candidate in self.candidates)}

    @cached_property
    def parts(self) -> list[int]:
        """The Ks, ascending."""
        return sorted({candidate.k for candidate in self.candidates})

    def value(self, name: str, candidate: Candidate, session: int) -> Value | None:
        """A figure, None if there is none."""
        outlook: Outlook | None = self._outlooks.get((candidate, session))
        return None if outlook is None else outlook.figures.get(name)

    def known(self, name: str, candidate: Candidate, session: int) -> Value:
        """A figure that there is."""
        return self._outlooks[candidate, session].figures[name]

    def crowded(self, candidate: Candidate, session: int) -> str | None:
        """Where most of the new pages of the fullest rank lie."""
        return self._outlooks[candidate, session].crowded

    def values(self, name: str, sessions: Iterable[int]) -> list[Value]:
        """A figure of all candidates in these sessions, as far as there are any."""
        found = (self.value(name, candidate, session) for session in sessions for candidate in self.candidates)
        return [value for value in found if value is not None]

    def imbalance(self, candidate: Candidate, session: int) -> float:
        """The larger of the imbalances of storage and of requests."""
        return max(float(self.known(name, candidate, session)) for name in WEIGHTS)

    def is_bearable(self, candidate: Candidate, session: int) -> bool:
        """Are both imbalances within the tolerance?"""
        return self.imbalance(candidate, session) <= self.tolerance + _SLACK
