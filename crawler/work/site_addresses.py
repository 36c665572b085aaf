"""At which addresses the sites of a session were: what shares one, one volunteer visits at a time."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from sessions.session import Session, SessionError

Addresses = Mapping[str, frozenset[str]]
"""By site, the IP addresses that answered for it."""


def site_addresses(session: Path) -> Addresses:
    """Return where a session's pages came from; nothing if it is not there any more, or knows no addresses.

    Memory grows with its sites, not with its pages.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    try:
        for batch in Session.open(session).batches("pages", ["site", "ip"]):
            for pair in pa.Table.from_batches([batch]).group_by(["site", "ip"]).aggregate([]).to_pylist():
                if pair["ip"] is not None:
                    found[pair["site"]].add(pair["ip"])
    except (SessionError, OSError, pa.ArrowException):
        return {}
    return {site: frozenset(ips) for site, ips in found.items()}
