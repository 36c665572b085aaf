"""What the crash test does: crawls in several attempts, all but the last ended by a blow at a random moment."""

import random
from dataclasses import dataclass

MOST_RANKS = 4
_MEMORIES = ("seen", "sent", "content", "duplicate", "frontier", "budget")
TINY = tuple(argument for name in _MEMORIES for argument in (f"--{name}-memory", "0.001"))
"""So little memory that everything is on disk."""
_OFTEN = ("--delay-factor", "0", "--retry-wait", "0.1")
HASTY = ("--delay", "0", "--server-delay", "0", "--superstep", "0.05", "--epoch-seconds", "0.1", *_OFTEN)
POLITE = ("--delay", "0.005", "--server-delay", "0.002", "--superstep", "0.1", "--epoch-seconds", "0.3", *_OFTEN)
"""How a crawl of some hundred pages lasts some seconds and some dozen epochs; with budgets, rests would be long."""
PARTITION = "partition"
RULES = ("prefix", "site", "hash", "page-hash", "discoverer")

KILLS = ("rank", "launcher", "mpiexec", "all", "power cut")
"""SIGKILL of one rank, of ``cutweb crawl``, of mpiexec, of all processes; and what is not committed is lost as well."""
SIGNALS = ("SIGTERM", "SIGUSR1", "SIGINT")
STEP = "step to disk"
"""One rank dies by its own hand, just before a step to disk."""
CUT_OFF = "cut off"
"""One rank is stopped as if its node were out of reach, and goes on while the next attempt runs, or after it."""


@dataclass(frozen=True)
class Moment:
    """When a blow falls: so many seconds after the start, or after so many ``requests`` or ``epochs`` of this attempt.

    A moment of ``writing`` comes when a file is being written, once so many epochs were committed.
    """

    kind: str
    amount: float

    def __str__(self) -> str:
        return f"{self.amount:.2f} s" if self.kind == "seconds" else f"{self.kind} {self.amount:.0f}"


TAKEN_OVER = Moment("taken over", 0)
"""When an attempt has made the session its own."""


@dataclass(frozen=True)
class Blow:
    """What happens to an attempt, and when.

    ``rank`` is the one that it hits, if it hits one.  One that is cut off goes on at the ``thaw`` of the next attempt.
    """

    kind: str
    moment: Moment
    rank: int
    thaw: Moment | None = None

    def __str__(self) -> str:
        whom = f" {self.rank}" if self.kind in ("rank", STEP, CUT_OFF) else ""
        return f"{self.kind}{whom} at {self.moment}"


@dataclass(frozen=True)
class Attempt:
    """One start of ``cutweb crawl`` with K ranks; the last of a run suffers no blow."""

    ranks: int
    assignment: str
    options: tuple[str, ...]
    blow: Blow | None


@dataclass(frozen=True)
class CrashRun:
    """A crawl that is begun, hit, and gone on with, perhaps several times.

    ``limits`` are options that say which pages belong to the crawl.
    """

    number: int
    limits: tuple[str, ...]
    attempts: tuple[Attempt, ...]

    @property
    def has_overlap(self) -> bool:
        """Whether two ranks may fetch one page, because who finds it owns it."""
        return any("discoverer" in attempt.options for attempt in self.attempts)


def draw(seed: int, number: int, pages: int) -> CrashRun:
    """The run of this number, on a web of so many pages: runs take turns at kinds of blows, chance does the rest."""
    rng = random.Random(f"{seed} {number}")
    limits = ("--max-depth", "3") if rng.random() < 0.15 else ()
    by_budget = rng.random() < 0.4
    kept = [*(HASTY if by_budget or rng.random() < 0.5 else POLITE), *(("--order", "budget") if by_budget else ())]
    if rng.random() < 0.4:
        kept += TINY
    assignment = rng.choice(("page-hash", "site-hash", "site-hash", PARTITION))
    rule = rng.choice(RULES)
    blows = 1 + (rng.random() < 0.4) + (rng.random() < 0.2)
    attempts = []
    ranks = rng.randint(1, MOST_RANKS)
    for turn in range(blows + 1):
        blow = _blow(rng, number + turn, turn, ranks, pages) if turn < blows else None
        options = [*kept, *(("--unknown", rule) if assignment == PARTITION else ())]
        if rng.random() < 0.3:
            options += ["--scratch"]
        attempts.append(Attempt(ranks, assignment, tuple(options), blow))
        if rng.random() < 0.5:
            ranks = rng.choice([other for other in range(1, MOST_RANKS + 1) if other != ranks])
        if rng.random() < 0.1:
            assignment = rng.choice(("page-hash", "site-hash", PARTITION))
    return CrashRun(number, limits, tuple(attempts))


_TURNS = ("rank", STEP, "all", SIGNALS, CUT_OFF, STEP, "launcher", "power cut", STEP, "mpiexec")


def _blow(rng: random.Random, place: int, turn: int, ranks: int, pages: int) -> Blow:
    kind = _TURNS[place % len(_TURNS)]
    if not isinstance(kind, str):
        kind = rng.choice(kind)
    if kind == "mpiexec" and ranks == 1:
        kind = "all"
    rank = rng.randrange(ranks)
    if kind == STEP:
        # The first steps of an attempt take a session, or take it over; of the later ones each epoch has some twenty.
        return Blow(kind, Moment("step", rng.choice((rng.randint(1, 30), rng.randint(1, 150)))), rank)
    if kind == CUT_OFF:
        thaw = rng.choice((Moment("seconds", rng.uniform(0, 1.5)), Moment("requests", rng.randint(1, pages // 4))))
        return Blow(kind, _later(rng, pages), rank, thaw)
    return Blow(kind, _moment(rng, turn, pages), rank)


def _moment(rng: random.Random, turn: int, pages: int) -> Moment:
    if rng.random() < 0.15:
        return Moment("seconds", rng.uniform(0.0, 1.5))
    if turn and rng.random() < 0.25:
        return Moment("epochs", 1)  # that with which this attempt takes the session over
    return _later(rng, pages)


def _later(rng: random.Random, pages: int) -> Moment:
    """A moment at which the attempt has written something."""
    kind = rng.choice(("requests", "requests", "writing", "epochs"))
    amount = rng.randint(1, round(0.8 * pages)) if kind == "requests" else rng.randint(1, 5)
    return Moment(kind, amount)


def name_of(options: tuple[str, ...]) -> str:
    """The options of a run's first attempt in few words."""
    words = ["hasty" if options[: len(HASTY)] == HASTY else "polite"]
    words += ["budget"] if "budget" in options else []
    words += ["tiny memories"] if TINY[0] in options else []
    return ", ".join(words)
