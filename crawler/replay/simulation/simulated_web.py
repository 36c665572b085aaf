"""The virtual web of a rank that sleeps while nothing comes to it."""

from crawler.network.web import Found, Response
from crawler.replay.recordedweb.recorded_sites import RecordedSites
from crawler.replay.recordedweb.recorded_web import RecordedAnswers
from crawler.replay.simulation.seat import Seat
from crawler.replay.virtualtime.latency import Latencies
from crawler.replay.virtualtime.virtual_web import VirtualWeb


class SimulatedWeb(VirtualWeb):
    """A virtual web that keeps its rank awake if that asks it for something."""

    def __init__(self, seat: Seat, sites: RecordedSites, answers: RecordedAnswers, latencies: Latencies) -> None:
        super().__init__(sites, answers, seat, latencies)
        self._seat = seat

    def _answer(self, due: float, url: str, answer: Response | Found) -> None:
        self._seat.is_awake = True
        super()._answer(due, url, answer)
