"""Every option of a crawl: its name, type, default, unit and meaning, in one place.

The command line and the configuration file are both made from this: a field ``max_pages`` is the option
``--max-pages`` and the TOML key ``max_pages``.  (One has another name on the command line: ``previous`` is ``--from``.)
"""

from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import click

from crawler.config.filters import Extensions, MediaTypes, Pattern
from crawler.config.network_options import NetworkOptions
from crawler.config.network_types import Contact, HeaderText, ProductToken
from crawler.config.option_declaration import option
from crawler.config.option_groups import (
    DOCUMENTS,
    ENDING,
    OWNERS,
    POLITENESS,
    REQUESTS,
    RESOURCES,
    SESSION,
    URLS,
    WATCHING,
)
from crawler.config.option_types import CountOrNone, Number
from crawler.config.order_options import OrderOptions
from crawler.config.suggestions import OneOf
from crawler.pages.link_verification import HTML, NO_RULE, RULES
from partition.choices import ASSIGNMENTS, UNKNOWN_RULES
from sessions.url import LONGEST_URL

DEFAULT_ASSIGNMENT = "site-hash"
NEW_SHARE = 0.9
"""Anansi's nine tenths for new pages."""

_session = partial(option, group=SESSION)
_owners = partial(option, group=OWNERS)
_ending = partial(option, group=ENDING)
_urls = partial(option, group=URLS)
_requests = partial(option, group=REQUESTS)
_politeness = partial(option, group=POLITENESS)
_documents = partial(option, group=DOCUMENTS)
_resources = partial(option, group=RESOURCES)
_watching = partial(option, group=WATCHING)

_SECONDS = Number(min=0)
_SOME_SECONDS = Number(min=0, min_open=True)
_COUNT = click.IntRange(min=1)
_CAP = CountOrNone()
_MIB = Number(min=0, min_open=True)
_PATH = click.Path(path_type=Path)


@dataclass(frozen=True)
class CrawlOptions(OrderOptions, NetworkOptions):
    """The options of ``cutweb crawl``; defaults as a user meets them."""

    urls: tuple[str, ...] = option((), "Seed URLs.", str, multiple=True)
    seeds: str | None = _session(
        None, "File of seeds, one URL a line, # comments; - reads standard input.", str, metavar="FILE|-"
    )
    out: Path | None = _session(None, "Folder for the session; must be new or empty.", _PATH, metavar="DIR")
    ranks: int | None = _owners(
        None, "Number of ranks: start K under mpiexec, or check that a launcher started K.", _COUNT, metavar="K"
    )
    start_seconds: float = _owners(600.0, "Begin nothing unless all ranks come within N seconds.", _SOME_SECONDS)
    assign: str | None = _owners(
        None,
        f"What names a URL's owner; {DEFAULT_ASSIGNMENT} if --partition does not say it. {ASSIGNMENTS.told()}.",
        OneOf(ASSIGNMENTS),
    )
    partition: Path | None = _owners(
        None,
        "Who owns a URL, as cutweb partition has worked it out from an earlier session into this folder, for as many "
        "parts as there are ranks.",
        _PATH,
        metavar="DIR",
    )
    unknown: str | None = _owners(
        None,
        f"Who owns a URL that --partition does not know; as the map says unless given. {UNKNOWN_RULES.told()}.",
        OneOf(UNKNOWN_RULES),
    )
    scope: str | None = _session(
        None,
        "Which URLs belong to the crawl: all, those on the seeds' sites or domains, or as FILE says (one site, .domain "
        "or URL prefix a line). All is the default, but a crawl beyond this machine must name it unless --max-pages, "
        "--max-seconds or --max-depth bounds it.",
        str,
        metavar="all|sites|domains|FILE",
    )
    external: str = _session(
        "sites",
        "What to keep of links that lead out of --scope, which are not followed: how many lead from which site to "
        "which, their URLs as well, or nothing.",
        OneOf(("all", "sites", "none")),
    )
    budget: str = _ending(
        "degree",
        "How the budgets of --order budget grow: with the number of domains that link to a domain, or with its rank "
        "among the one in a hundred to which most do, or with that number as far as trust that comes from the seeds "
        "backs it.",
        OneOf(["degree", "top", "trust"]),
    )
    worklist: Path | None = _session(
        None,
        "Fetch what cutweb worklist has listed in this folder, the most urgent first; no seeds and no --order beside "
        "it. Pages that were fetched before are asked for only if they have changed since the last session listed.",
        _PATH,
        metavar="WORKLIST",
    )
    new_share: float = _ending(
        NEW_SHARE,
        "The share, from 0 to 1, of new URLs in what each rank takes from --worklist; the others were fetched before.",
        Number(0, 1),
    )
    beyond: bool = _ending(False, "When --worklist is used up, follow the links that were found, breadth first.", bool)
    max_pages: int | None = _ending(None, "End after exactly N pages, counted over all ranks.", _COUNT)
    max_seconds: float | None = _ending(None, "End after N seconds.", _SOME_SECONDS)
    max_wait: float = _ending(300.0, "End if all that is left must wait longer than this, in seconds.", _SECONDS)
    max_depth: int | None = _urls(
        None, "Skip URLs that are more than N links away from the seeds.", click.IntRange(0, 65534)
    )
    max_redirects: int = _urls(10, "Follow at most N redirects in a row.", click.IntRange(0, 254))
    include: tuple[str, ...] = _urls(
        (),
        "Fetch only URLs in which this regular expression (Python's) is found, or another of those given; seeds are "
        "fetched in any case.",
        Pattern(),
        multiple=True,
        metavar="REGEX",
    )
    exclude: tuple[str, ...] = _urls(
        (),
        "Skip URLs in which this regular expression (Python's) is found, or any other that is given.",
        Pattern(),
        multiple=True,
        metavar="REGEX",
    )
    skip_extensions: str | None = _urls(
        None, "Skip files with one of these name extensions, as in jpg,png,pdf.", Extensions(), metavar="LIST"
    )
    content_types: str | None = _urls(
        None,
        "Keep no bodies and follow no links but those of these types, as in text/html,image/*.",
        MediaTypes(),
        metavar="LIST",
    )
    verify_links: str = _urls(
        NO_RULE,
        "Send each URL a HEAD before its GET, and skip it if the answer speaks against it: html (meant if nothing "
        "follows) goes on to what may be HTML, to redirects, and where a HEAD is not answered as it should be; strict "
        "only after 200 or 302, with text/html.",
        OneOf(RULES),
        metavar="[" + "|".join(RULES) + "]",
        alone=HTML,
    )
    max_url_length: int | None = _urls(None, "Skip URLs of more than N characters.", click.IntRange(1, LONGEST_URL))
    max_segments: int | None = _urls(None, "Skip URLs whose path has more than N segments.", _COUNT)
    max_query_length: int | None = _urls(
        None, "Skip URLs whose query has more than N characters.", click.IntRange(min=0)
    )
    max_query_parameters: int | None = _urls(
        None, "Skip URLs whose query has more than N parameters.", click.IntRange(min=0)
    )
    max_repeated_segments: int | None = _urls(
        None, "Skip URLs whose path repeats one segment more than N times.", _COUNT
    )
    skip_calendars: bool | None = _urls(
        None, "Skip URLs with a date before 1990, or after the year that follows the crawl's.", bool
    )
    skip_session_ids: bool | None = _urls(None, "Skip URLs that contain a session ID.", bool)
    skip_growing_queries: bool | None = _urls(
        None, "Skip URLs whose query repeats one parameter, or holds an encoded URL within an encoded URL.", bool
    )
    traps: bool = _urls(
        True,
        "Keep to the rules against traps, those of the seven options above that are not given, with the limits that "
        "docs/traps.md names.",
        bool,
    )
    max_pages_per_site: int | None = _urls(
        100_000, "Fetch at most N pages of one site, over all ranks.", _CAP, metavar="N|none"
    )
    max_pages_per_prefix: int | None = _urls(
        None, "Fetch at most N pages of one site below one URL prefix, over all ranks.", _CAP, metavar="N|none"
    )
    max_pages_per_domain: int | None = _urls(
        1_000_000, "Fetch at most N pages of one domain, with all its sites, over all ranks.", _CAP, metavar="N|none"
    )
    max_pages_per_address: int | None = _urls(
        None,
        "Fetch at most N pages from one address (IPv4, or IPv6 /64), with all sites there, over all ranks.",
        _CAP,
        metavar="N|none",
    )
    prefix_segments: int = _urls(1, "How many directories of the path belong to such a prefix.", _COUNT)
    max_links: int = _urls(10_000, "Follow only the first N links of a page.", _COUNT)
    parse_seconds: float = _urls(
        1.0, "Stop looking for links in a page after N seconds of processor time.", _SOME_SECONDS
    )
    superstep: float = _ending(
        1.0, "Length of a superstep, the time between two exchanges of URLs, in seconds.", Number(min=0.01)
    )
    connections: int = _requests(64, "Transfers at once on each rank.", click.IntRange(1, 4096))
    delay: float = _politeness(
        1.0, "Rest between two requests to one site, whichever ranks make them, in seconds.", _SECONDS
    )
    server_delay: float = _politeness(
        0.5, "Rest between two requests to one server (IP address), whichever ranks make them, in seconds.", _SECONDS
    )
    delay_factor: float = _politeness(
        1.0, "A site rests at least N times the seconds that its last answer took; not with --delay 0.", _SECONDS
    )
    max_crawl_delay: float = _politeness(
        60.0,
        "Rest no longer than this for the sake of a robots.txt, whatever crawl-delay it asks for, in seconds.",
        _SECONDS,
    )
    rules: Path | None = _politeness(
        None,
        "What holds for single sites, domains, prefixes and networks (docs/rules.md); read again whenever it changes.",
        _PATH,
        metavar="FILE",
    )
    honour_nofollow: bool = _politeness(
        False,
        "Do not follow links that say nofollow, or whose page does, nor keep the bodies of pages that say noindex; "
        "what they say is recorded in any case.",
        bool,
    )
    timeout: float = _requests(60.0, "Time limit of a request, in seconds.", _SOME_SECONDS)
    connect_timeout: float = _requests(10.0, "Time limit for connecting, in seconds.", _SOME_SECONDS)
    idle_timeout: float = _requests(
        20.0, "Break a request off if no header line and nothing of the body comes for N seconds.", _SOME_SECONDS
    )
    min_speed: float = _requests(
        64.0, "Break a request off if less comes in 30 seconds, in bytes per second; 0 for no limit.", Number(min=0)
    )
    http2: bool = _requests(True, "Speak HTTP/2 with servers that offer it (over TLS).", bool)
    max_header: float = _requests(
        64.0, "Take at most N KiB of headers, with interim answers and trailers.", Number(min=1, max=256)
    )
    max_body: float = _requests(10.0, "Cut a body off after N MiB.", _MIB)
    max_decoded: float = _requests(64.0, "Cut a body off after N MiB once decompressed.", _MIB)
    retries: int = _requests(2, "Ask again up to N times when no response comes.", click.IntRange(0, 100))
    retry_wait: float = _requests(
        2.0, "Wait N seconds before the first retry, twice as long before the next.", _SECONDS
    )
    site_errors: int = _politeness(
        8, "Give a site up after N requests in a row that it did not answer, or only with 429 or 503.", _COUNT
    )
    robots_wait: float = _politeness(
        60.0,
        "Keep a site's URLs waiting up to N seconds for a robots.txt that its server fails to give (429, 5xx); then "
        "nothing of the site is fetched.",
        _SECONDS,
    )
    user_agent: str = _politeness("cutweb/0.2", "What the crawler calls itself.", HeaderText())
    robots_token: str | None = _politeness(
        None,
        "Name by which robots.txt, X-Robots-Tag and meta elements speak to the crawler; unless given, what stands "
        "before the slash of --user-agent, or, where that is a browser's name, after compatible; in it.",
        ProductToken(),
        metavar="NAME",
    )
    contact: str | None = _politeness(
        None,
        "Whom the owner of a site can turn to: a URL or a mail address, told to every server; needed beyond loopback.",
        Contact(),
        metavar="URL|MAIL",
    )
    store_bodies: bool = _documents(True, "Keep the bodies, in WARC files.", bool)
    duplicates: bool = _documents(
        True, "Notice documents that came before, from whatever rank's page, and store their bodies once.", bool
    )
    skip_duplicate_links: bool = _documents(False, "Drop the links of a page whose document came before.", bool)
    duplicate_memory: float = _resources(
        32.0,
        "Memory for pages whose documents may have come before, on each rank, in MiB; more wait on disk.",
        _MIB,
    )
    content_memory: float = _resources(
        128.0, "Memory for what documents have come, on each rank, in MiB; more are on disk.", _MIB
    )
    simhash: bool = _documents(False, "Give the text of every page a similarity hash.", bool)
    near_dup: int | None = _documents(
        None,
        "Do not follow the links of a page whose similarity hash differs in at most N of 64 bits from one of the "
        "last of its site.",
        click.IntRange(0, 64),
    )
    previous: Path | None = _session(
        None,
        "Ask only for what has changed since this earlier session; of what has not, facts and links are taken from it.",
        _PATH,
        metavar="SESSION",
        flag="from",
    )
    epoch_seconds: float = _resources(60.0, "Commit what was crawled at least so often, in seconds.", _SOME_SECONDS)
    frontier_memory: float = _resources(256.0, "Memory for queued URLs on each rank, in MiB; more wait on disk.", _MIB)
    seen_memory: float = _resources(256.0, "Memory for the URLs a rank has seen, in MiB; more are on disk.", _MIB)
    sent_memory: float = _resources(256.0, "Memory for the URLs a rank has sent, in MiB; more are on disk.", _MIB)
    budget_memory: float = _resources(
        64.0, "Memory for the links between domains that --order budget counts, in MiB; more are on disk.", _MIB
    )
    site_memory: float = _resources(
        256.0,
        "Memory for the sites a rank visits and what their robots.txt files say, in MiB; more wait or are on disk.",
        Number(min=32),
    )
    scratch: Path | None = _resources(
        None,
        "Put what need not stay, queues and DRUM files (URL tables in batches), on this local disk; into the session "
        "unless given.",
        _PATH,
        metavar="DIR",
    )
    metrics_port: int | None = _watching(
        None,
        "Serve metrics of all ranks for Prometheus at this port of the machine that rank 0 is on; 0 for none.",
        click.IntRange(0, 65535),
        metavar="PORT",
    )
    metrics_host: str = _watching(
        "127.0.0.1",
        "At which address of that machine: its own name's, or 0.0.0.0 for all (IPv4); nobody is asked for a password.",
        str,
        metavar="ADDR",
    )
    usage_seconds: float | None = _watching(
        None,
        "Say every N seconds what the ranks take of processors, memory, network and disk.",
        _SOME_SECONDS,
    )
    log_json: bool = _watching(
        False, "Keep a log of each rank in the session's folder log, one JSON object a line for each event.", bool
    )
    max_silence: float | None = _watching(
        None, "End all ranks once one of them has given no sign of life for N seconds.", _SOME_SECONDS
    )
    is_resumed: bool = False
    """Does the crawl go on with the session in ``out``?  No option of its own: --resume DIR says both."""
    takes_over: bool = False
    """Does it so though another run is crawling that session?  --take-over says so, and is not recorded."""


def option_names() -> list[str]:
    """The names of all options, as they stand in a configuration file."""
    return [item.name for item in fields(CrawlOptions) if item.metadata]
