"""What a recording knows of its sites: where they were, how long they took to answer, what delay they asked for."""

from crawler.network.web import Endpoint
from crawler.replay.recording import Recording
from sessions.url import site_of

_HTTPS = "https://"
_PORTS = {False: 80, True: 443}


class RecordedSites:
    """The sites of a recording; the first of their pages was fetched at ``first_fetched``, in seconds of Unix time.

    One whose address is not known has a server of its own: its name stands for the address.
    """

    def __init__(self, recording: Recording) -> None:
        self.first_fetched = recording.first_fetched
        pages = recording.pages
        sites, ips, times = (pages[name].to_pylist() for name in ("site", "ip", "milliseconds"))
        self._ips: dict[str, str] = {}
        self._milliseconds: dict[str, float] = {}
        for site, ip, milliseconds in zip(sites, ips, times, strict=True):
            self._milliseconds.setdefault(site, milliseconds or 0.0)
            if ip and site not in self._ips:
                self._ips[site] = ip
        robots = recording.session.read("robots", ["origin", "fetched", "crawl_delay"]).sort_by("fetched")
        self._crawl_delays = dict(zip(robots["origin"].to_pylist(), robots["crawl_delay"].to_pylist(), strict=True))

    def endpoint(self, origin: str) -> Endpoint:
        """Where an origin is connected to."""
        site = site_of(f"{origin}/")
        return Endpoint(self._ips.get(site, site), _PORTS[origin.startswith(_HTTPS)])

    def milliseconds(self, site: str) -> float:
        """How long the first page of a site took."""
        return self._milliseconds.get(site, 0.0)

    def robots(self, origin: str) -> bytes:
        """A robots.txt with the recorded crawl-delay; empty if none was asked for."""
        delay = self._crawl_delays.get(origin)
        return f"User-agent: *\nCrawl-delay: {delay:g}\n".encode() if delay else b""
