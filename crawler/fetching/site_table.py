"""The sites that a rank has something to do with now, by name."""

from crawler.politeness.site import Site
from crawler.politeness.site_state import SiteState


class SiteTable(dict[str, Site]):
    """Sites by name.  A site that is not here is nobody's: nothing is kept in memory of it but its facts."""

    def named(self, name: str) -> Site:
        """The site of this name, a new one if it is not here."""
        site = self.get(name)
        if site is None:
            site = self[name] = Site(name)
        return site

    def state_of(self, name: str) -> SiteState:
        """What the site of this name is doing."""
        site = self.get(name)
        return site.state if site is not None else SiteState.FORGOTTEN

    def with_urls(self) -> int:
        """How many sites have URLs, here or parked."""
        return sum(1 for site in self.values() if site.queue or site.parked)
