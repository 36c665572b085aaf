"""What one server holds of the workbench: a bounded number of sites, each with a few URLs; the rest of it is put by."""

from crawler.politeness.backlogs import Backlog


class Share:
    """The share of a server, or of a domain as far as the servers of its sites are not known.

    ``sites`` is how many sites it has on the workbench, ``resting`` how many of them rest for long.  The ``backlog``
    are URLs, in order of arrival, whose sites may not be there yet; while there are any, the share is not ``is_open``,
    and each further URL of its sites goes there too.  It ``is_listed`` when somebody will look whether sites of the
    backlog may come.
    """

    __slots__ = ("backlog", "is_listed", "is_open", "is_server", "key", "resting", "sites")

    def __init__(self, key: str, *, is_server: bool) -> None:
        self.key = key
        self.is_server = is_server
        self.is_open = True
        self.is_listed = False
        self.sites = self.resting = 0
        self.backlog: Backlog | None = None  # most never have one


OUTSIDE = Share("", is_server=False)
"""Of sites that have no URLs on the workbench."""
OUTSIDE.is_open = False
