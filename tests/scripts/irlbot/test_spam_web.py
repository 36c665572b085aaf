"""The web with a spam farm: what it promises, for several seeds."""

import http.client
import re
from collections import Counter

import pytest

from scripts.irlbot.spam_web import FARM, Shape, SpamWeb, domain_numbered, url_of
from scripts.shared.page_server import PageServer
from sessions.url import canonical, domain_of, site_of

SMALL = Shape(domains=60, seeds=3, hosts=30, links=20)
SEEDS = [1, 2, 3]


@pytest.fixture(scope="module", params=SEEDS)
def web(request: pytest.FixtureRequest) -> SpamWeb:
    return SpamWeb(request.param, SMALL)


def targets(web: SpamWeb, url: str) -> list[str]:
    """The URLs that a page names, taken from its HTML."""
    _, _, host, path = url.split("/", 3)
    page = web.page(host, f"/{path}")
    return re.findall(r'href="([^"]+)"', page.decode()) if page is not None else []


def legitimate_links(web: SpamWeb) -> dict[str, list[str]]:
    """All legitimate pages that can be reached from the seeds, with their links; found breadth first."""
    found, queue = {}, list(web.seeds)
    for url in queue:
        if url not in found and domain_numbered(url) >= 0:
            found[url] = targets(web, url)
            queue += found[url]
    return found


@pytest.fixture(scope="module")
def links(web: SpamWeb) -> dict[str, list[str]]:
    return legitimate_links(web)


def test_at_least_a_hundred_pages_of_each_domain_can_be_reached(links: dict[str, list[str]]) -> None:
    pages = Counter(map(domain_numbered, links))
    assert set(pages) == set(range(SMALL.domains))
    assert min(pages.values()) >= 100


def test_every_link_leads_to_a_page_with_a_canonical_url(web: SpamWeb, links: dict[str, list[str]]) -> None:
    for url, linked in list(links.items())[::50]:
        assert canonical(url) == url
        assert all(canonical(target) == target and targets(web, target) for target in linked)


def test_in_degrees_differ_much_and_every_domain_has_one(links: dict[str, list[str]]) -> None:
    pairs = {(domain_of(site_of(url)), domain_of(site_of(target))) for url in links for target in links[url]}
    in_degrees = Counter(target for source, target in pairs if source != target)
    assert in_degrees[FARM] == 1
    legitimate = sorted(in_degrees[f"d{number}.example"] for number in range(SMALL.domains))
    assert legitimate[0] >= 1
    assert legitimate[-1] >= 5 * legitimate[len(legitimate) // 2]


def test_the_farm_has_no_end_and_leads_nowhere_else(web: SpamWeb, links: dict[str, list[str]]) -> None:
    entrances = {target for url in links for target in links[url] if domain_numbered(target) < 0}
    assert len(entrances) == 1
    found = dict.fromkeys(entrances)
    for number in range(60):
        url = list(found)[number]
        linked = targets(web, url)
        assert {domain_of(site_of(target)) for target in linked} == {FARM}
        found |= dict.fromkeys(linked)
    assert len(found) >= 50 * SMALL.links
    assert len({site_of(url) for url in found}) == SMALL.hosts


def test_a_seed_makes_the_same_web_again_and_another_one_another(web: SpamWeb) -> None:
    again, other = SpamWeb(1, SMALL), SpamWeb(4, SMALL)
    first = SpamWeb(1, SMALL)
    url = url_of(7, 3)
    assert targets(again, url) == targets(first, url)
    assert again.seeds == first.seeds
    assert targets(other, url) != targets(first, url)


@pytest.mark.parametrize(
    ("host", "path"),
    [("www.d7.example", "/robots.txt"), ("www.d7.example", "/fffffff"), ("www.d60.example", "/"), ("other.test", "/")],
)
def test_what_is_not_there(host: str, path: str) -> None:
    assert SpamWeb(1, SMALL).page(host, path) is None


def test_pages_are_served_over_one_connection_by_host() -> None:
    web = SpamWeb(1, SMALL)
    with PageServer(web.page) as server:
        client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        for host, path in [("www.d7.example", "/"), ("www.d8.example", "/1"), ("www.d7.example", "/robots.txt")]:
            client.request("GET", path, headers={"Host": f"{host}:80"})
            answer = client.getresponse()
            body = web.page(host, path)
            assert (answer.status, answer.read()) == ((404, b"") if body is None else (200, body))
        client.close()
