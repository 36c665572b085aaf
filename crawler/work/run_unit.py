"""Running a unit on a volunteer's machine: a crawl of one rank, without MPI, that keeps to the unit's URLs.

Nothing that a unit says reaches further than its few options: the volunteer alone says whose units are run, who answers
for the requests, and whether anything but public addresses may be connected to.
"""

from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from crawler.config.crawl_options import CrawlOptions
from crawler.discovery.scope import EVERYTHING, scope_named
from crawler.exchange.verdict import Ending
from crawler.launch.plan import Plan
from crawler.monitoring.progress_display import ProgressDisplay
from crawler.network.address_guard import literal
from crawler.network.connect_to import ConnectRule
from crawler.process.end_at_once import ending_on_second_signal
from crawler.process.sole_rank import sole_rank
from crawler.rank.crawl import network_for, run
from crawler.rank.live_rank import live_rank
from crawler.work.keys import SigningKey
from crawler.work.ledger import is_over, present
from crawler.work.result_file import write_result
from crawler.work.unit import OPTIONS, SignedUnit, Unit, read_unit
from crawler.work.unit_worklist import write_unit_worklist
from crawler.work.work_error import WorkError
from sessions.session import Session, new_run_id
from sessions.storage.temporary_folder import scratch_folder
from sessions.version import software_version
from sessions.writing.commit import claim

ASSIGNMENT = "site-hash"
_ENDS = (Ending.WORKLIST, Ending.MAX_WAIT, Ending.MAX_SECONDS)
"""How a crawl ends whose result may be handed in; what it left says why."""
_NEVER_SECONDS = 1e9
_TO_HAND_IN = timedelta(minutes=10)
"""So long before the deadline a run ends at the latest."""


@dataclass(frozen=True)
class Volunteer:
    """What the volunteer says, and no unit can: ``trust`` is the public key whose units are run.

    ``allow_net`` and ``connect_to``, of loopback only, are for trying it out; ``contact`` stands in every request.
    """

    trust: str
    key: SigningKey
    contact: str
    allow_net: tuple[str, ...] = ()
    connect_to: tuple[str, ...] = ()
    ca_cert: Path | None = None


@dataclass(frozen=True)
class UnitRun:
    """What came of a unit: how many of its ``urls`` were ``fetched``, ``failed``, ``filtered``, and ``left``."""

    urls: int
    fetched: int
    failed: int
    filtered: int
    left: int


def run_unit(path: Path, out: Path, volunteer: Volunteer) -> UnitRun:
    """Fetch a unit's URLs and write the result ``out``, a new file.

    Raises WorkError, having requested nothing, if the unit may not be run, or ``out`` is taken; and if the run was
    interrupted, having written nothing.
    """
    signed = _trusted(path, volunteer)
    if out.exists():
        raise WorkError(f"{out}: exists; name a new file")
    if not out.absolute().parent.is_dir():
        raise WorkError(f"{out}: there is no folder {out.absolute().parent}")
    with scratch_folder(".cutweb-unit-", out.absolute().parent) as folder:
        session = folder / "session"
        started = present()
        ending = _crawl(signed, folder, session, volunteer)
        if ending not in _ENDS:
            raise WorkError(f"{path}: interrupted ({ending}), so there is no result; run the unit again")
        told = {
            "unit": signed.sha256,
            "worklist": signed.unit.worklist,
            "started": started.isoformat(timespec="seconds"),
            "ended": present().isoformat(timespec="seconds"),
            "software": f"cutweb {software_version()}",
        }
        write_result(out, session, told, volunteer.key)
        return _counted(session, len(signed.unit.urls))


def _trusted(path: Path, volunteer: Volunteer) -> SignedUnit:
    """The unit of a file.  Raises WorkError unless the project that is trusted has signed it and it has not expired."""
    signed = read_unit(path)
    if signed.key != volunteer.trust:
        raise WorkError(f"{path}: signed by {signed.key}, which is not the key that --trust names; it is not run")
    if is_over(signed.unit.deadline, present() + _TO_HAND_IN):
        raise WorkError(f"{path}: its deadline, {signed.unit.deadline}, is over or too near; ask for another unit")
    for network in volunteer.allow_net:
        if not ip_network(network).is_loopback:
            raise WorkError(f"--allow-net {network}: only loopback may be opened to a unit (127.0.0.0/8, ::1)")
    for text in volunteer.connect_to:
        address = literal(ConnectRule.parse(text).address or "")
        if address is None or not address.is_loopback:
            raise WorkError(f"--connect-to {text}: a unit's requests may be sent to loopback, and nowhere else")
    return signed


def _crawl(signed: SignedUnit, folder: Path, session: Path, volunteer: Volunteer) -> Ending:
    """Crawl what the unit lists into a session; why the crawl ended."""
    unit = signed.unit
    worklist = folder / "worklist"
    identity = write_unit_worklist(worklist, unit)
    options = _options(unit, worklist, session, volunteer)
    run_id = new_run_id()
    header = claim(
        session,
        run=run_id,
        ranks=1,
        assignment=ASSIGNMENT,
        configuration=configuration_of(signed),
    )
    plan = Plan(options, session, run_id, (), scope_named(EVERYTHING, ()), header, identity)
    progress = ProgressDisplay()
    with closing(progress), ending_on_second_signal("cutweb work run", lambda code: None, has_launcher=False):
        return run(sole_rank(), plan, network_for(options), live_rank, [progress])


def configuration_of(signed: SignedUnit) -> dict[str, Any]:
    """The configuration of a unit's session: nothing of the volunteer's machine is in it."""
    return {"work_unit": signed.sha256, **signed.unit.options}


def _options(unit: Unit, worklist: Path, session: Path, volunteer: Volunteer) -> CrawlOptions:
    left = datetime.fromisoformat(unit.deadline) - present() - _TO_HAND_IN
    asked: dict[str, Any] = {
        name: int(value) if OPTIONS[name].is_whole else value for name, value in unit.options.items()
    }
    return CrawlOptions(
        **asked,
        worklist=worklist,
        out=session,
        assign=ASSIGNMENT,
        scope=EVERYTHING,
        external="none",
        max_seconds=max(1.0, left.total_seconds()),
        epoch_seconds=_NEVER_SECONDS,
        contact=volunteer.contact,
        allow_net=volunteer.allow_net,
        connect_to=volunteer.connect_to,
        ca_cert=volunteer.ca_cert,
    )


def _counted(session: Path, urls: int) -> UnitRun:
    (report,) = Session.open(session).rank_reports()
    fetched, failed, filtered = (sum(report[f"listed_{state}"].values()) for state in ("fetched", "failed", "filtered"))
    return UnitRun(urls, fetched, failed, filtered, urls - fetched - failed - filtered)
