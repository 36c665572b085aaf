"""The invented web that tiny crawls crawl: some pages, and beside them, not linked to them, more with other documents.

The few are all that most crawls know of.  The many fill what is kept on disk, of URLs, documents and domains.
"""

from tests.crawler.support.fake_web import Answer, page, redirect, robots_txt

PAGES = 12
_SITES = ("a.example", "b.example", "c.d.example")
URLS = [f"http://{_SITES[number % len(_SITES)]}/{number}" for number in range(PAGES)]
ROOTS = tuple(URLS[: len(_SITES)])
_MANY, _MANY_SITES, _LINKS = 60, 30, 5
MANY_URLS = [f"http://www.many-{number % _MANY_SITES}.example/{number}" for number in range(_MANY)]
MANY_ROOTS = tuple(MANY_URLS[:_MANY_SITES])


def script() -> dict[str, Answer]:
    """The web: pages that link to others and outside, a redirect, some pages twice, missing ones, a robots.txt."""
    answers = {url: page(*_after(number)) for number, url in enumerate(URLS)}
    answers[URLS[5]] = redirect(URLS[6])
    answers[URLS[9]] = answers[URLS[8]]
    answers["http://b.example/robots.txt"] = robots_txt("User-agent: *\nDisallow: /4\n")
    return answers | _many()


def _after(number: int) -> list[str]:
    return [URLS[(2 * number + step) % PAGES] for step in (1, 2)] + ["/none", "http://out.example/"]


def _many() -> dict[str, Answer]:
    """As many pages as do not fit in next to no memory; each fourth document comes twice."""
    answers = {
        url: page(*(MANY_URLS[(3 * number + 7 * step) % _MANY] for step in range(_LINKS)), "/none")
        for number, url in enumerate(MANY_URLS)
    }
    return answers | {MANY_URLS[number + 1]: answers[MANY_URLS[number]] for number in range(0, _MANY, 4)}
