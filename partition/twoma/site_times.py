"""What a session's sites took at its ranks: the milliseconds of their pages, and who fetched them.

The milliseconds of a page are those of its request.  So what is waited for is the server and the network between it and
the rank, and not politeness.
"""

from dataclasses import dataclass
from functools import cached_property
from ipaddress import ip_address

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from partition.twoma.experience import Floats, Numbers
from sessions.session import Session, damage_told
from sessions.url import site_of

MOST_ASTRAY = 0.05
"""The share of a session's pages that may lie off their site's main rank where whole sites are learnt."""
_NAMED = 3
_MILLISECONDS = 1000.0
_OLD_BITS, _NEW_BITS = 24, 48
NO_BLOCK = -1


class TimesError(Exception):
    """A session that does not tell how long its sites took; the message is one line that says what to do."""


@dataclass(frozen=True)
class SiteTimes:
    """What n sites took at k ranks.

    Attributes:
        names: the sites.
        fetched: int64[n, k], pages of each site that each rank fetched.
        measured: int64[n, k], those of which the time is known.
        seconds: float64[n, k], the seconds of these together.
        blocks: int64[n], the number of the /24 or /48 of addresses in which most of a site's pages were fetched;
            `NO_BLOCK` if no address is known.
    """

    names: list[str]
    fetched: Numbers
    measured: Numbers
    seconds: Floats
    blocks: Numbers

    @cached_property
    def main_ranks(self) -> Numbers:
        """The rank that fetched most pages of each site, int64[n]; of several the lowest."""
        ranks: Numbers = self.fetched.argmax(axis=1)
        return ranks

    @cached_property
    def means(self) -> Floats:
        """Seconds a page of each site at each rank, float64[n, k]; NaN where no page was measured."""
        unknown = np.full(self.seconds.shape, np.nan)
        means: Floats = np.divide(self.seconds, self.measured, out=unknown, where=self.measured > 0)
        return means

    @property
    def share_astray(self) -> float:
        """The share of all pages that lie off their site's main rank."""
        return 1 - float(self.fetched.max(axis=1).sum() / self.fetched.sum())


def site_times(session: Session, k: int) -> SiteTimes:
    """Return what a session's sites took at each of ``k`` ranks.

    Raises TimesError if it was not measured at these ranks or has no pages, SessionError if its files are damaged.
    """
    _check(session, k)
    with damage_told(session.path):
        pages = session.read("pages", ["site", "rank", "milliseconds", "ip"])
        sites = pages["site"].combine_chunks()
        if sites.null_count:
            sites = pa.array([site_of(url) for url in session.read("pages", ["url"])["url"].to_pylist()], pa.string())
        encoded = sites.dictionary_encode()
        numbers = encoded.indices.to_numpy().astype(np.int64)
        ranks = pages["rank"].to_numpy().astype(np.int64)
        milliseconds = pc.fill_null(pages["milliseconds"], 0.0).to_numpy().astype(np.float64)
        ips = pages["ip"].combine_chunks().dictionary_encode()
    names = encoded.dictionary.to_pylist()
    if not names:
        raise TimesError(f"{session.path}: no pages were downloaded, so there is nothing to learn from")
    is_measured = np.isfinite(milliseconds) & (milliseconds > 0)
    if not is_measured.any():
        raise TimesError(
            f"{session.path}: no page has its time on record; take a session that was crawled, or replayed with "
            "--latency"
        )
    cells = numbers * k + ranks
    fetched, measured = (np.bincount(some, minlength=len(names) * k) for some in (cells, cells[is_measured]))
    took = milliseconds[is_measured] / _MILLISECONDS
    seconds = np.bincount(cells[is_measured], took, len(names) * k).astype(np.float64)
    shape = (len(names), k)
    blocks = _blocks(numbers, ips, len(names))
    return SiteTimes(names, fetched.reshape(shape), measured.reshape(shape), seconds.reshape(shape), blocks)


def whole_site_times(session: Session, k: int) -> SiteTimes:
    """Return the same for models that move whole sites: pages off their site's main rank are left out.

    Raises TimesError if these are more than `MOST_ASTRAY`, too.
    """
    times = site_times(session, k)
    if times.share_astray > MOST_ASTRAY:
        raise TimesError(
            f"{session.path}: {times.share_astray:.1%} of its pages lie off their site's main rank (of "
            f"{_most_astray(times)}), and --model twoma moves whole sites; crawl by site-hash, or by a map of "
            "--model site or twoma with --unknown site"
        )
    is_main = np.arange(k) == times.main_ranks[:, None]
    kept = (times.fetched * is_main, times.measured * is_main, times.seconds * is_main)
    return SiteTimes(times.names, *kept, times.blocks)


def address_block(address: str) -> str | None:
    """Return the /24 of an IPv4 address or the /48 of an IPv6 one, as text; None for what is no address."""
    try:
        ip = ip_address(address)
    except ValueError:
        return None
    bits = _OLD_BITS if ip.version == 4 else _NEW_BITS
    return f"{ip.version}:{int(ip) >> (ip.max_prefixlen - bits):x}"


def _check(session: Session, k: int) -> None:
    """Refuse sessions whose times are not those of ``k`` ranks."""
    configurations = [session.header["configuration"], *(run.configuration for run in session.runs)]
    if any("import" in one for one in configurations):
        raise TimesError(
            f"{session.path}: was imported and not crawled, so no rank's times were measured; crawl it, or replay it "
            "with --latency"
        )
    if any("replay" in one and not one["replay"].get("latency") for one in configurations):
        raise TimesError(
            f"{session.path}: was replayed without --latency, so its times are not those of its ranks; replay it "
            "with --latency"
        )
    numbers = sorted({run.ranks for run in session.runs})
    if numbers != [k]:
        crawled = " and ".join(map(str, numbers))
        say = f"give --parts {numbers[0]}" if len(numbers) == 1 else f"take a session of {k} ranks from its begin"
        raise TimesError(f"{session.path}: was crawled by K = {crawled}, which says nothing of {k} ranks; {say}")


def _most_astray(times: SiteTimes) -> str:
    """The sites that have most pages off their main rank, with the share of these."""
    pages = times.fetched.sum(axis=1)
    astray = pages - times.fetched.max(axis=1)
    worst = [site for site in np.argsort(-astray, kind="stable")[:_NAMED].tolist() if astray[site]]
    return ", ".join(f"{times.names[site]} {astray[site] / pages[site]:.1%}" for site in worst)


def _blocks(sites: Numbers, ips: pa.DictionaryArray, count: int) -> Numbers:
    """The block of most pages of each site, int64[count]; of several that with the lowest number."""
    texts = [address_block(ip) for ip in ips.dictionary.to_pylist()]
    number_of = {text: number for number, text in enumerate(sorted(text for text in set(texts) if text is not None))}
    of_address = np.array([NO_BLOCK if text is None else number_of[text] for text in texts], np.int64)
    is_given = np.asarray(ips.indices.is_valid())
    of_page = np.full(len(sites), NO_BLOCK, np.int64)
    of_page[is_given] = of_address[ips.indices.drop_null().to_numpy()]
    is_known = of_page != NO_BLOCK
    pairs, pages = np.unique(sites[is_known] * len(texts) + of_page[is_known], return_counts=True)
    site, block = np.divmod(pairs, max(1, len(texts)))
    order = np.lexsort((-block, pages))
    blocks = np.full(count, NO_BLOCK, np.int64)
    blocks[site[order]] = block[order]  # of several for one site the last holds
    return blocks
