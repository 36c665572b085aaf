"""Ranks of a session's earlier runs, by the signs of life that they have left: do some live, what did dead ones leave?

Reads the clock: whether signs of ranks on other machines go on is seen by waiting for the next; no crawl runs yet.
"""

import os
import time
from pathlib import Path

from crawler.monitoring.signs_of_life import Sign, all_signs
from crawler.process.process_tree import process_tree
from crawler.process.shared_memory import remove_shared_memory
from sessions.session import Session, SessionError

_PATIENCE_SECONDS = 3.0
_PAUSE_SECONDS = 0.1


def clear_this_machine(session: Path | None) -> None:
    """Remove the shared memory of ranks of a session that have died on this machine; nobody else's."""
    if session is not None:
        remove_shared_memory(name for sign in all_signs(session).values() if is_dead_here(sign) for name in sign.shared)


def host_of_living(session: Path) -> str | None:
    """A host on which some rank of a session lives; None if none does.

    Of ranks on this machine their processes are looked for.  Ranks elsewhere live if their signs go on, for which it
    may take some seconds.
    """
    here, before = os.uname().nodename, all_signs(session)
    for sign in before.values():
        if sign.host == here and not is_dead_here(sign):
            return here
    return _host_of_a_beat(session, {name: sign for name, sign in before.items() if sign.host != here})


def refuse_if_crawled(path: Path, until: str) -> Session:
    """Return the session, unless a crawl has not ended and some rank of it lives; ``until`` says what has to wait.

    Raises SessionError.
    """
    session = Session.open(path)
    host = host_of_living(path) if session.ended is None else None
    if host is not None:
        raise SessionError(
            f"{path}: run {session.header['run']} is crawling it, on {host}; {until} when no crawl runs on it "
            f"(cutweb stop {path})"
        )
    return session


def have_all_died_here(session: Path, ranks: int) -> bool:
    """Were all ranks of a session on this machine, and no process and no beat is left of any?

    Ranks in a container may have this machine's name and processes that nobody sees here; they take some seconds.
    """
    signs = all_signs(session)
    return len(signs) == ranks and all(map(is_dead_here, signs.values())) and _host_of_a_beat(session, signs) is None


def _host_of_a_beat(session: Path, before: dict[str, Sign]) -> str | None:
    """Whose sign of these goes on; None if none does for some seconds."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while before and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
        for name, sign in all_signs(session).items():
            if name in before and sign.beat != before[name].beat:
                return sign.host
    return None


def hosts_left(session: Path, hosts: set[str]) -> list[str]:
    """The hosts of earlier ranks that are none of these."""
    return sorted({sign.host for sign in all_signs(session).values()} - hosts)


def is_dead_here(sign: Sign) -> bool:
    """Was this the sign of a process of this machine that is gone?"""
    return sign.host == os.uname().nodename and process_tree(sign.process[0])[:1] != [sign.process]
