"""Sites without end: pages made up as they are asked for."""

from urllib.parse import parse_qs, urlsplit

from tests.hostile.answers import answer, page
from tests.hostile.evil import UNKNOWN, Ask, End, Place, Steps, evil, fetched, filtered

TRAPPED = (UNKNOWN, filtered("..."))


@evil(fetched(), path="/calendar/2026/1", also={"http://{site}/calendar/2040/1": TRAPPED})
def calendar(ask: Ask) -> Steps:
    """A month links to the next and the one before, and so on for ever."""
    year, month = (int(part) for part in ask.path.split("/")[2:4])
    months = [year * 12 + month - 1 + step for step in (-12, -1, 1, 12)]
    yield answer(page([f"/calendar/{one // 12}/{one % 12 + 1}" for one in months], f"month {month} of {year}"))
    yield End.KEEP


@evil(fetched(), path="/a/", also={"http://{site}/" + "a/" * 30: TRAPPED})
def path_without_end(_ask: Ask) -> Steps:
    """A relative link to a folder of the same name: /a/a/a/a/."""
    yield answer(page(["a/"]))
    yield End.KEEP


@evil(fetched(), path="/list?q=0", also={"http://{site}/list?q=0" + "&q=0" * 30: TRAPPED})
def query_without_end(ask: Ask) -> Steps:
    """A query that grows with every link."""
    yield answer(page([f"{ask.path}&q=0", f"{ask.path}&q=1"]))
    yield End.KEEP


@evil(fetched(), path="/shop")
def session_numbers(ask: Ask) -> Steps:
    """Every visit has a new session id in all its links, in queries and in paths."""
    number = f"{hash((ask.path, ask.number)) & 0xFFFFFFFFFFFFFFFF:016x}{ask.number:016x}"
    links = [
        f"/shop?PHPSESSID={number}",
        f"/shop;jsessionid={number}",
        f"/shop?sid={number}&item=1",
        f"/(S({number}))/shop",
    ]
    yield answer(page(links))
    yield End.KEEP


@evil(fetched(), path="/found")
def everything_is_there(ask: Ask) -> Steps:
    """Whatever is asked for is there, and links to more: 404 with a 200."""
    yield answer(page([f"{ask.path}/{letter}" for letter in "abcdef"], "Sorry, not found"))
    yield End.KEEP


@evil(fetched(), path="/item?id=0")
def same_page_everywhere(ask: Ask) -> Steps:
    """The very same page under ever new numbers."""
    number = int(parse_qs(urlsplit(ask.path).query).get("id", ["0"])[0])
    yield answer(page(["/item?id=0"], "always the same") if number > 20 else page([f"/item?id={n}" for n in range(21)]))
    yield End.KEEP


@evil(fetched(), path="/filter?a=1")
def filters_of_a_shop(ask: Ask) -> Steps:
    """Every combination of twelve filters is a page."""
    chosen = set(ask.path.partition("?")[2].split("&"))
    links = ["/filter?" + "&".join(sorted(chosen ^ {f"{name}=1"})) for name in "abcdefghijkl"]
    yield answer(page(links))
    yield End.KEEP


@evil(
    fetched(),
    place=Place.NAME,
    names={"{trap}": ("{address}",), **{f"s{number}.{{trap}}": ("{address}",) for number in range(20)}},
    also={"http://s0.{trap}:{port}/": (fetched(),)},
)
def subdomains(ask: Ask) -> Steps:
    """Ten thousand hosts below one name: some are there, the others are not."""
    if ask.path == "/evil":
        host, port = ask.site, ask.ports.port
        yield answer(page([f"http://s{number}.{host}:{port}/" for number in range(10_000)]))
    else:
        yield answer(page(["/evil"]))
    yield End.KEEP
