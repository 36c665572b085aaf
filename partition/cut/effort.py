"""How much a cut tries: points on one curve of quality against time."""

from dataclasses import dataclass, replace

_FEW_PINS = 1 << 20
_NEARLY_ALL = 0.8  # of the vertices: what has so many groups has been cut already


@dataclass(frozen=True)
class Effort:
    """How much is tried: ``descents`` from scratch with ``seeds`` METIS seeds in each, then ``rounds`` of ``cycles``.

    As many descents again are made where they differ much, ``further`` times at most, unless hubs are what costs.
    Rounds end when one gains less than ``least_gain`` of the cost.  ``cores`` are the portions of a part that are
    filled with hubs (`partition.cut.hub_core`), each in a descent of its own, where that may pay.  ``kahypars`` is the
    number of starts by Mt-KaHyPar (`partition.cut.kahypar`), where it is to be used.
    """

    descents: int
    seeds: int
    further: int
    rounds: int
    cycles: int
    least_gain: float
    cores: tuple[float, ...]
    kahypars: int

    def after(self, portion: float) -> "Effort":
        """What is left to try where groups of vertices, ``portion`` times as many, have been cut with this effort."""
        if portion < _NEARLY_ALL:
            return self
        return replace(self, descents=0, cores=(), rounds=min(1, self.rounds))

    def for_pins(self, pins: int) -> "Effort":
        """What is tried with a hypergraph of so many pins: more of what is cheap where they are few."""
        if pins > _FEW_PINS:
            return self
        return replace(self, further=3 * self.further, rounds=2 * self.rounds, kahypars=2 * self.kahypars)


EFFORTS = {
    "low": Effort(descents=1, seeds=2, further=0, rounds=0, cycles=0, least_gain=0.0, cores=(0.9,), kahypars=0),
    "normal": Effort(
        descents=2, seeds=2, further=1, rounds=3, cycles=2, least_gain=0.003, cores=(0.9, 0.3), kahypars=2
    ),
    "high": Effort(
        descents=8, seeds=2, further=1, rounds=6, cycles=2, least_gain=0.001, cores=(0.9, 0.3, 0.6), kahypars=4
    ),
}
"""A higher effort tries all that a lower one tries, and more."""
