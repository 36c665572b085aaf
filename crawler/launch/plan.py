"""What a crawl is going to do, checked by rank 0 before anything is written."""

import os
import ssl
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from crawler.config.command_line import UsageError, as_plain_values
from crawler.config.crawl_options import DEFAULT_ASSIGNMENT, NEW_SHARE, CrawlOptions
from crawler.discovery.scope import EVERYTHING, NAMED_SCOPES, Scope, scope_named
from crawler.launch.checks import Checks, check_metrics_port
from crawler.launch.map_agreement import HeldMap, agreed_map, look_at
from crawler.launch.order_checks import check_counting, check_order
from crawler.launch.rule_checks import PlannedRules, planned_rules
from crawler.launch.scratch import check_scratch
from crawler.network.contact import first_beyond_loopback
from crawler.network.proxy import Proxy
from crawler.process.file_limits import most_connections
from crawler.process.mpi_environment import SIZE_VARIABLES
from crawler.process.stop_signals import leave_no_more
from crawler.process.terminal import tell
from crawler.site_rules.rule_file import rules_in
from crawler.site_rules.rule_proxies import promises
from partition.map.partition_assignment import assignment_name
from sessions.records import Header
from sessions.session import Session, SessionError, new_run_id
from sessions.url import canonical
from sessions.writing.commit import check_free, claim
from sessions.writing.nothing_fetched import fetched_nothing, put_aside

_LIMITS = ("max_pages", "max_seconds", "max_depth")
"""Options of which one is enough for a crawl to come to an end on an endless web."""
_MOST_SEEDS_NAMED = 10
"""Of seeds that are no URLs."""


@dataclass(frozen=True)
class Plan:
    """A crawl that can begin: its options, where it writes, its run id, its seeds in canonical form, its scope.

    ``options`` say who owns a URL even if the user did not.  ``header`` is the session's; only rank 0 keeps it up to
    date.  ``worklist`` is the identity of the list that the crawl keeps to, if it does; ``rules`` are those that hold
    at first, if there is a file of them.
    """

    options: CrawlOptions
    out: Path
    run: str
    seeds: tuple[str, ...]
    scope: Scope
    header: Header
    worklist: str | None = None
    rules: PlannedRules | None = None

    @property
    def year(self) -> int:
        """The year in which the session began."""
        return int(self.header["started"][:4])


class Assigned(NamedTuple):
    """Who owns a URL: ``options`` with what they left open, the assignment's ``name``, the session it comes from.

    ``recorded`` is what the session's configuration says of a partition map: where it lies, whatever folder somebody
    is in later, and which map it is.  It is empty without one.
    """

    options: CrawlOptions
    name: str
    previous: str | None
    recorded: dict[str, str]


class Begin(NamedTuple):
    """What a crawl begins with: its ``seeds``, URLs of all that it visits at first, as far as they have to be known.

    ``visited`` are the seeds, or of the rows of a worklist one that leads beyond this machine, if any does; then the
    seeds are those of the last session listed, which is ``previous``, and ``worklist`` is the list's identity.
    """

    seeds: tuple[str, ...]
    visited: tuple[str, ...]
    previous: Path | None = None
    worklist: str | None = None


def plan(
    options: CrawlOptions, ranks: int, held: Sequence[HeldMap] = (), scratch_problems: Sequence[str | None] = ()
) -> Plan:
    """Check everything that can be checked, then claim the session's folder.

    ``held`` is the partition map that each rank holds, by rank; if it is empty, it is looked for here.
    ``scratch_problems`` is what keeps each from its scratch folder.
    Raises UsageError with all that is wrong, having written nothing, if the crawl cannot begin.
    """
    checks = Checks()
    check_machine(checks, options, ranks, scratch_problems)
    out = checks.run(_free_folder, options.out)
    begin = checks.run(_begin_of, options)
    scope = None
    if begin is not None:
        checks.run(check_contact, options.contact, begin.visited, options.connect_to)
        checks.run(check_extent, options, begin.visited)
        options = replace(options, scope=options.scope or EVERYTHING, previous=options.previous or begin.previous)
        scope = checks.run(scope_of_begin, options, begin.seeds)
    assigned = checks.run(with_assignment, options, ranks, held)
    check_files(checks, options)
    rules = checks.run(planned_rules, options.rules)
    checks.refuse()
    assert out is not None
    assert begin is not None
    assert scope is not None
    assert assigned is not None
    options, assignment, previous, recorded = assigned
    run = new_run_id()
    leave_no_more()
    try:
        if fetched_nothing(out):
            tell(f"{out}: the crawl in it ended without a page; it is now {put_aside(out).name}", err=True)
        header = claim(
            out,
            run=run,
            ranks=ranks,
            assignment=assignment,
            configuration=as_plain_values(options) | wherever_one_is(options) | recorded | of_worklist(begin.worklist),
            previous=str(options.previous) if options.previous is not None else previous,
            seeds=begin.seeds,
        )
    except SessionError as error:
        raise UsageError(str(error)) from error
    tell_of_proxies(options, rules)
    return Plan(options, out, run, begin.seeds, scope, header, begin.worklist, rules)


def tell_of_proxies(options: CrawlOptions, rules: PlannedRules | None) -> None:
    """Say by what way requests go out, if that is a proxy, of all or by rule, and what it takes away."""
    if options.proxy is not None:
        tell(f"cutweb crawl: {Proxy.parse(options.proxy).promise()}", err=True)
    for promise in promises(rules_in(rules.text, str(rules.file))) if rules is not None else ():
        tell(f"cutweb crawl: {promise}", err=True)


def check_machine(
    checks: Checks, options: CrawlOptions, ranks: int, scratch_problems: Sequence[str | None] = ()
) -> None:
    """Have checked what a crawl needs of the machines that it runs on."""
    checks.run(check_size, options.ranks, ranks, os.environ)
    checks.run(check_connections, options.connections)
    checks.run(check_metrics_port, options.metrics_port, options.metrics_host)
    checks.run(check_scratch, scratch_problems)


def check_files(checks: Checks, options: CrawlOptions) -> None:
    """Have checked the files that a crawl's options name, but for maps and scopes."""
    checks.run(check_certificates, options.ca_cert)
    checks.run(check_previous, options.previous)
    checks.run(check_order, options)


def _free_folder(path: Path | None) -> Path:
    if path is None:
        raise UsageError("--out DIR is required")
    if not fetched_nothing(path):
        check_free(path)
    return path


def wherever_one_is(options: CrawlOptions) -> dict[str, str]:
    """The files among the options as they are found from any folder, for a run that goes on."""
    files = {
        name: getattr(options, name) for name in ("previous", "priorities", "ca_cert", "scratch", "worklist", "rules")
    }
    if options.scope is not None and options.scope not in NAMED_SCOPES:
        files["scope"] = Path(options.scope)
    return {name: str(path.resolve()) for name, path in files.items() if path is not None}


def of_worklist(identity: str | None) -> dict[str, Any]:
    """What the configuration of a crawl says that keeps to a worklist, beside its options; nothing of another's."""
    return {} if identity is None else {"worklist_identity": identity, "order": None}


def scope_of_begin(options: CrawlOptions, seeds: Sequence[str]) -> Scope:
    """The scope that the options ask for.  Raises UsageError if it goes by the seeds and a worklist has none."""
    name = options.scope or EVERYTHING
    if options.worklist is not None and not seeds and name in NAMED_SCOPES and name != EVERYTHING:
        raise UsageError(
            f"--scope {name} goes by the seeds of the last session that {options.worklist} lists, which has none; give "
            f"--scope {EVERYTHING}, or a file"
        )
    return scope_named(name, seeds)


def with_assignment(options: CrawlOptions, ranks: int, held: Sequence[HeldMap]) -> Assigned:
    """Who owns a URL, as far as the options say, and by default where they do not.

    Raises UsageError if they contradict each other, or there is no partition map for so many ranks.
    """
    if options.partition is None:
        if options.unknown is not None:
            raise UsageError(f"--unknown {options.unknown} says what a partition map does not: give --partition DIR")
        name = options.assign or DEFAULT_ASSIGNMENT
        return Assigned(replace(options, assign=name), name, None, {})
    if options.assign is not None:
        raise UsageError(f"--partition and --assign {options.assign} contradict each other: leave one of the two out")
    manifest = agreed_map(options.partition, held or [look_at(options.partition)])
    session = manifest.origin.session
    if manifest.parts != ranks:
        raise UsageError(
            f"--partition {options.partition} is for K = {manifest.parts} ranks, but this run has K = {ranks}; start "
            f"it with --ranks {manifest.parts}, or make a map that fits with: "
            f"cutweb partition {session or 'SESSION'} --parts {ranks} --out DIR"
        )
    rule = options.unknown or manifest.unknown
    recorded = {"partition": str(options.partition.resolve()), "partition_identity": manifest.identity}
    options = replace(options, unknown=rule)
    check_counting(options)
    return Assigned(options, assignment_name(manifest.origin.model, rule), session, recorded)


def check_connections(connections: int) -> None:
    """Raise UsageError if this system does not let a rank have so many connections."""
    if connections > most_connections():
        raise UsageError(
            f"--connections {connections}: the system's limit of open files leaves room for {most_connections()} "
            "(ulimit -n)"
        )


def check_contact(contact: str | None, seeds: Iterable[str], connect_to: Iterable[str]) -> None:
    """Raise UsageError if a crawl would visit other machines and name nobody whom their owners can turn to."""
    beyond = first_beyond_loopback(seeds, connect_to) if contact is None else None
    if beyond is not None:
        raise UsageError(
            f"--contact URL or MAIL is missing: {beyond} leads beyond this machine, and whoever is crawled must be "
            "able to find out by whom and to ask for it to stop; every request tells the contact in its User-Agent"
        )


def check_extent(options: CrawlOptions, seeds: Iterable[str]) -> None:
    """Raise UsageError if a crawl would go beyond this machine with neither a scope that was given nor a limit."""
    if options.scope is not None or any(getattr(options, limit) is not None for limit in _LIMITS):
        return
    if options.worklist is not None and not options.beyond:
        return  # the list has an end
    beyond = first_beyond_loopback(seeds, options.connect_to)
    if beyond is not None:
        limits = ", ".join(f"--{limit.replace('_', '-')}" for limit in _LIMITS)
        raise UsageError(
            f"neither a scope nor a limit is given, and {beyond} leads beyond this machine: name a --scope (sites, "
            f"domains or FILE) or a limit ({limits}), or write out --scope all if the whole web is meant"
        )


def check_certificates(path: Path | None) -> None:
    """Raise UsageError if there is a file of certificates and it cannot be read as one."""
    if path is None:
        return
    try:
        ssl.create_default_context(cafile=path)
    except ssl.SSLError as error:
        raise UsageError(f"--ca-cert {path}: has no certificates in PEM form ({error})") from error
    except OSError as error:
        raise UsageError(f"--ca-cert {path}: {error.strerror}") from error


def check_previous(path: Path | None) -> None:
    """Raise UsageError if there is a previous session to compare with and it cannot be read."""
    if path is None:
        return
    try:
        session = Session.open(path)
        lost = [file.path for file in session.table_files() if not file.path.is_file()]
    except (SessionError, KeyError, TypeError) as error:
        raise UsageError(f"--from {path}: cannot be read as a session ({error})") from error
    if lost:
        raise UsageError(f"--from {path}: is damaged; {lost[0]} is missing")


def check_size(asked: int | None, ranks: int, environment: Mapping[str, str]) -> None:
    """Raise UsageError unless this MPI run has as many ranks as were meant to be started.

    A launcher that belongs to another MPI starts K runs of one rank each, silently.  ``--ranks`` says what is meant;
    without it the launcher's own word is taken, that of the innermost: Slurm's count is that of mpiexec's helpers
    where mpiexec has started the ranks.
    """
    if asked is not None and asked != ranks:
        raise UsageError(f"--ranks says {asked} ranks, but this MPI run has {ranks}{_why(ranks, environment)}")
    for name in SIZE_VARIABLES:
        said = environment.get(name, "")
        if said.isdigit():
            if int(said) != ranks and asked is None:
                raise UsageError(f"{name} says {said} ranks, but this MPI run has {ranks}{_why(ranks, environment)}")
            return


def _why(ranks: int, environment: Mapping[str, str]) -> str:
    said = [environment[name] for name in SIZE_VARIABLES if name in environment]
    if said and str(ranks) not in said:
        return "; is mpiexec (or srun --mpi=...) that of the MPI which mpi4py uses?"
    return "; start as many with mpiexec -n as --ranks says, or leave one of the two out"


def _with_scheme(url: str) -> str:
    """What may have been meant by a seed that lacks its scheme."""
    meant = canonical(f"https://{url}") if "://" not in url and "." in url.partition("/")[0].strip(".") else None
    return f"; did you mean {meant}?" if meant is not None else ""


def _begin_of(options: CrawlOptions) -> Begin:
    """What the crawl begins with.  Raises UsageError if that is nothing, or wrong."""
    if options.worklist is None:
        for flag, is_given in (("--beyond", options.beyond), ("--new-share", options.new_share != NEW_SHARE)):
            if is_given:
                raise UsageError(f"{flag} means nothing without --worklist WORKLIST: leave it out")
        seeds = _seeds_of(options)
        return Begin(seeds, seeds)
    return begin_by_worklist(options.worklist, options)


def begin_by_worklist(path: Path, options: CrawlOptions) -> Begin:
    """What a crawl begins with that keeps to a worklist.  Raises UsageError if it cannot."""
    from crawler.launch.worklist_checks import checked_worklist  # most crawls need none of it

    checked = checked_worklist(path, options.connect_to)
    visited = () if checked.beyond is None else (checked.beyond,)
    return Begin(checked.seeds, visited, checked.last_session, checked.identity)


def _seeds_of(options: CrawlOptions) -> tuple[str, ...]:
    """The seeds in canonical form, each once, in the order in which they are given."""
    seeds: dict[str, None] = {}
    wrong: list[str] = []
    for url, where in [*((url, "seed") for url in options.urls), *_from_file(options.seeds)]:
        seed = canonical(url)
        if seed is None:
            wrong.append(f"{where}: not an http(s) URL: {url}{_with_scheme(url)}")
        else:
            seeds[seed] = None
    if len(wrong) > _MOST_SEEDS_NAMED:
        wrong[_MOST_SEEDS_NAMED:] = [f"{len(wrong) - _MOST_SEEDS_NAMED:,} more seeds are no URLs"]
    if wrong:
        raise UsageError(*wrong)
    if not seeds:
        raise UsageError("no seeds: name URLs, or a file of them with --seeds FILE (- for standard input)")
    return tuple(seeds)


def _from_file(name: str | None) -> list[tuple[str, str]]:
    """The seeds of a file, one a line, each with where it stands; what follows white space and # is a comment."""
    if name is None:
        return []
    where = "standard input" if name == "-" else name
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        lines = text.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise UsageError(f"{where}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    except (OSError, ValueError) as error:
        raise UsageError(f"--seeds {name}: {getattr(error, 'strerror', None) or error}") from error
    seeds = []
    for number, line in enumerate(lines, 1):
        url = line.partition(" #")[0].partition("\t#")[0].strip()
        if url and not url.startswith("#"):
            seeds.append((url, f"{where}:{number}"))
    return seeds
