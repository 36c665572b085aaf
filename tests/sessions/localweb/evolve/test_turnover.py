"""Who lives and dies: counts against the rates, and that it does not matter in how many steps time passes."""

import numpy as np
import pytest

from sessions.localweb.evolve.rates import Rates
from sessions.localweb.evolve.snapshot import Snapshot
from sessions.localweb.evolve.turnover import Turnover, turn_over
from sessions.storage.warc_file import Place
from sessions.storage.warc_index import IndexEntry
from sessions.url import canonical, site_of

SITES, PER_SITE = 50, 40
STILL = Rates(births=0, deaths=0, edits=0, link_edits=0, new_sites=0, site_deaths=0)


def snapshot(urls: list[str], is_born: list[bool] | None = None) -> Snapshot:
    sites = sorted({site_of(url) for url in urls})
    place = Place("x", 0, 0)
    return Snapshot(
        urls=urls,
        entries=[IndexEntry(place, place)] * len(urls),
        sites=sites,
        site=np.array([sites.index(site_of(url)) for url in urls]),
        date=1_704_067_200.0,
        seeds=[url for url in urls if url.count("/") == 3 and url.endswith("/")],
        is_page=np.ones(len(urls), bool),
        is_hub=np.ones(len(urls), bool),
        is_born=np.array(is_born or [False] * len(urls), bool),
    )


def web() -> Snapshot:
    hosts = [f"http://h{site}.example/" for site in range(SITES)]
    return snapshot([host + (f"d/{page}.html" if page else "") for host in hosts for page in range(PER_SITE)])


def passed(rates: Rates, days: int, seed: int, before: Snapshot | None = None) -> tuple[Turnover, Snapshot]:
    """What happened, and the web that came of it."""
    before = before or web()
    after = turn_over(before, rates, days, np.random.default_rng(seed))
    left = np.flatnonzero(after.lives).tolist()
    urls = [before.urls[record] for record in left] + after.born_urls
    return after, snapshot(urls, [bool(before.is_born[record]) for record in left] + [True] * len(after.born_urls))


def test_nothing_happens_at_rate_0() -> None:
    after, _ = passed(STILL, 365, 1)
    assert after.lives.all()
    assert after.site_lives.all()
    assert after.born_urls == []
    assert len(after.sites) == SITES


@pytest.mark.parametrize("days", [1, 7, 30, 365])
def test_deaths_follow_the_law(days: int) -> None:
    mortal = [url for url in web().urls if not url.endswith("/")]
    own = Rates().death_rates(mortal, np.zeros(len(mortal), bool))
    expected = float(np.sum(1 - np.exp(-own * days)))
    assert expected == pytest.approx(len(mortal) * (1 - 1 / (1 + 0.0114 * days)), rel=0.1)
    gone = [int((~passed(Rates(births=0, site_deaths=0), days, seed)[0].lives).sum()) for seed in range(10)]
    assert np.mean(gone) == pytest.approx(expected, abs=4 * np.sqrt(expected / 10))


def test_births_follow_the_rate_and_make_up_for_deaths() -> None:
    rates = Rates(deaths=0, new_sites=0, site_deaths=0)
    born = [len(passed(rates, 7, seed)[0].born_urls) for seed in range(10)]
    assert np.mean(born) == pytest.approx(SITES * PER_SITE * (1.0114**7 - 1), rel=0.1)
    stationary = Rates(new_sites=0, site_deaths=0)
    sizes = [len(passed(stationary, 60, seed)[1].urls) for seed in range(5)]
    assert np.mean(sizes) == pytest.approx(SITES * PER_SITE, rel=0.08)


def test_two_weeks_are_twice_a_week() -> None:
    """Expected counts compose: survivors of the first web, pages of the last, and living sites."""
    rates = Rates(new_sites=0.01, site_deaths=0.01, births=0.03, deaths=0.03)
    old = set(web().urls)
    at_once, in_turn = [], []
    for seed in range(20):
        once = passed(rates, 14, seed)[1]
        twice = passed(rates, 7, seed + 2000, passed(rates, 7, seed + 1000)[1])[1]
        at_once.append((len(old & set(once.urls)), len(once.urls), len(once.sites)))
        in_turn.append((len(old & set(twice.urls)), len(twice.urls), len(twice.sites)))
    assert np.allclose(np.mean(at_once, axis=0), np.mean(in_turn, axis=0), rtol=0.06)


def test_sites_come_and_go_with_all_their_pages() -> None:
    after, then = passed(Rates(new_sites=0.01, site_deaths=0.01), 30, 3)
    dead = {after.sites[site] for site in np.flatnonzero(~after.site_lives)}
    assert dead
    assert not dead & {site_of(url) for url in then.urls}
    new = [site for site in range(SITES, len(after.sites)) if after.site_lives[site]]
    assert new
    for site in new:
        own = [url for url, of in zip(after.born_urls, after.born_sites, strict=True) if of == site]
        assert own[0] == f"http://{after.sites[site]}/"
    roots = {url for url in web().urls if url.endswith("/")}
    assert {site_of(url) for url in roots - set(then.urls)} <= dead


def test_site_deaths_follow_the_rate() -> None:
    dead = [int((~passed(Rates(site_deaths=0.002), 100, seed)[0].site_lives[:SITES]).sum()) for seed in range(10)]
    assert np.mean(dead) == pytest.approx(SITES * (1 - np.exp(-0.2)), rel=0.3)


def test_the_last_site_lives_on() -> None:
    after, then = passed(Rates(site_deaths=10.0, new_sites=0), 100, 1)
    assert after.site_lives.sum() == 1
    assert then.urls


def test_new_addresses_are_canonical_and_new_along_a_chain() -> None:
    now = web()
    ever = set(now.urls)
    for week in range(5):
        after, now = passed(Rates(births=0.1, new_sites=0.01), 7, 1, now)
        now.date += 7 * 86_400 * (week + 1)
        assert [canonical(url) for url in after.born_urls] == after.born_urls
        assert len(set(after.born_urls)) == len(after.born_urls)
        assert not ever & set(after.born_urls)
        assert [site_of(url) for url in after.born_urls] == [after.sites[site] for site in after.born_sites]
        ever |= set(after.born_urls)


def test_what_is_no_page_dies_only_with_its_site() -> None:
    before = web()
    before.is_page[1::2] = False
    after, _ = passed(Rates(deaths=1.0, site_deaths=0), 200, 1, before)
    assert after.lives[1::2].all()
    assert after.lives.sum() < 1.1 * len(before.urls) / 2 + SITES
