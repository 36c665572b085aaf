"""Crawls whose rules change at random: whatever was asked for was allowed at that time, and the books balance."""

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from crawler.network.address_guard import connectable
from crawler.rank.rule_changes import RuleChanges
from crawler.site_rules.rule_book import RuleBook
from crawler.site_rules.rule_file import SiteRule, rules_in
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.url import site_of
from tests.crawler.support.fake_web import Crawls, Script, no_answer, page, redirect, robots_txt, too_busy

SITES = ["a.example", "b.example", "www.b.example", "c.test", "d.test:8080"]
ADDRESSES = {"a.example": ["192.0.2.1"], "b.example": ["192.0.2.2"], "www.b.example": ["192.0.2.2"]} | {
    "c.test": ["198.51.100.1"],
    "d.test:8080": ["198.51.100.2"],
}
PROXIES = ["http://me:secret@one:3128", "socks5://two:1080", "none"]
CHANGES = 12
SUPERSTEPS_BETWEEN = 3


def web_of(dice: random.Random) -> dict[str, Script]:
    """A small web with links everywhere, retries, redirects, and robots.txt files that come late or lie elsewhere."""
    urls = [f"http://{site}/{folder}{number}" for site in SITES for folder in ("", "x/") for number in range(12)]
    web: dict[str, Script] = {url: page(*dice.sample(urls, 5), seconds=dice.uniform(0.01, 0.6)) for url in urls}
    web |= {url: redirect(dice.choice(urls)) for url in dice.sample(urls, 6)}
    web |= {url: [no_answer(), page(*dice.sample(urls, 3))] for url in dice.sample(urls, 6)}
    web |= {f"http://{site}/": page(*dice.sample(urls, 20)) for site in SITES}
    for site in SITES:
        other = dice.choice(SITES)
        web[f"http://{site}/robots.txt"] = dice.choice(
            [
                robots_txt("User-agent: *\nCrawl-delay: 0.2\nDisallow: /x/3"),
                [too_busy(), robots_txt("")],
                redirect(f"http://{other}/robots.txt"),
                no_answer("connect", seconds=0.5),
                robots_txt("User-agent: OtherBot\nDisallow: /1\n"),
            ]
        )
    return web


def rules_of(dice: random.Random) -> str:
    """Some rules on some of the sites."""
    targets = [
        *(f'site = "{site}"' for site in SITES),
        *('domain = "example"', 'domain = "b.example"', 'domain = "test"'),
        *(f'prefix = "http://{site}/x/"' for site in SITES),
        *('address = "192.0.2.0/24"', 'address = "198.51.100.2"'),
    ]
    tables = []
    for target in dice.sample(targets, dice.randrange(5)):
        values = [f"block = {dice.choice(['true', 'true', 'false'])}", f"delay = {dice.uniform(0, 0.5)}"]
        if not target.startswith("prefix"):
            values.append("pause = true")
        if target.startswith(("site", "domain")):
            values.append('user-agent = "OtherBot/1.0"')
            values.append(f'proxy = "{dice.choice(PROXIES)}"')
        tables.append("\n".join(["[[rule]]", target, *dice.sample(values, dice.randrange(1, len(values)))]))
    return "\n\n".join(tables) + "\n"


@pytest.mark.parametrize("seed", range(16))
def test_what_is_asked_for_is_allowed_by_the_rules_of_that_time(
    crawls: Crawls, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice = random.Random(seed)
    texts = [rules_of(dice) for _ in range(CHANGES)]
    changes: list[tuple[float, RuleBook]] = []
    asked = 0

    def news(_changes: RuleChanges) -> bytes | None:
        nonlocal asked
        asked += 1
        is_due = asked % SUPERSTEPS_BETWEEN == 0
        return None if not is_due else (texts.pop(0) if texts else "").encode()

    def noted(rules: RulesInForce, given: tuple[SiteRule, ...]) -> None:
        change(rules, given)
        changes.append((crawls.web.now(), rules.book))

    change = RulesInForce.change
    monkeypatch.setattr(RuleChanges, "news", news)
    monkeypatch.setattr(RulesInForce, "change", noted)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rules.toml"
        path.write_text(rules_of(dice))
        first = RuleBook(rules_in(path.read_text(), "rules.toml"))
        done = crawls(
            web_of(dice),
            *(f"http://{site}/" for site in SITES),
            rules=path,
            addresses=ADDRESSES,
            delay=0.05,
            server_delay=dice.choice([0.0, 0.02]),
            delay_factor=0.0,
            superstep=0.5,
            retry_wait=0.2,
            robots_wait=2.0,
            frontier_memory=0.001,
        )
    assert done.ending == "complete"
    for seen in crawls.web.log:
        book = [first, *(book for time, book in changes if time <= seen.began)][-1]
        site = book.of(site_of(seen.url), seen.ip)
        assert not site.block
        assert not site.pause
        assert seen.url.endswith("/robots.txt") or not site.at(seen.url).block
        assert seen.user_agent == site.user_agent
        assert seen.proxy == site.proxy
        assert (connectable(seen.ip) is None) == (site.proxy is not None and site.proxy.resolves_names)
    reasons = {reason for state, reason in done.outcomes().values() if state == "filtered"}
    assert reasons <= {"rule", "robots", "robots-rule", "robots-503"}
