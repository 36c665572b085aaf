"""Redirects that lead round in circles, nowhere, or inside."""

from tests.hostile.answers import BODY, answer
from tests.hostile.evil import UNKNOWN, Ask, End, Place, Record, Steps, cut, evil, failed, fetched, filtered

INTERNAL = filtered("internal-address")
LIMIT = filtered("redirects")


def moved(location: str, status: str = "302 Found", body: bytes = b"moved") -> bytes:
    """A redirect."""
    return answer(body, f"Location: {location}", status=status)


def leads(name: str, says: str, location: str, target: str = "", *records: Record, status: str = "302 Found") -> None:
    """An evil that redirects to a place; ``records`` are what is right to record of ``target``, its canonical form."""

    def handler(ask: Ask) -> Steps:
        text = location.format(site=ask.site, port=ask.ports.port)
        yield moved(text, status)
        yield End.KEEP

    handler.__name__, handler.__doc__ = name, says
    evil(fetched(int(status[:3])), also={target: records} if target else {})(handler)


for scheme, rest in {
    "file": "///etc/passwd",
    "ftp": "//127.0.0.1:{port}/",
    "gopher": "//127.0.0.1:{port}/_GET%20/",
    "javascript": "alert(1)",
    "data": "text/html,<a href=/forbidden/page>x</a>",
    "mailto": "nobody@{site}",
    "dict": "//127.0.0.1:{port}/d",
    "ws": "//127.0.0.1:{port}/",
}.items():
    leads(f"redirect_to_{scheme}", f"Redirects to a {scheme}: URL.", f"{scheme}:{rest}")

SPELLINGS = {
    "loopback": ("127.0.0.1", "127.0.0.1"),
    "ipv6_loopback": ("[::1]", "[::1]"),
    "decimal_address": ("2130706433", "127.0.0.1"),
    "octal_address": ("0177.0.0.01", "127.0.0.1"),
    "hexadecimal_address": ("0x7f.0x0.0x0.0x1", "127.0.0.1"),
    "short_address": ("127.1", "127.0.0.1"),
    "mapped_address": ("[::ffff:127.0.0.1]", "[::ffff:7f00:1]"),
    "unspecified_address": ("0.0.0.0", "0.0.0.0"),
    "ipv6_unspecified_address": ("[::]", "[::]"),
    "fullwidth_address": ("\uff11\uff12\uff17\u30020.0.1", "127.0.0.1"),
    "encoded_address": ("%31%32%37.0.0.1", "127.0.0.1"),
    "localhost": ("localhost", "localhost"),
    "neighbour_of_loopback": ("127.0.7.8", "127.0.7.8"),
    "metadata_address": ("169.254.169.254", "169.254.169.254"),
    "private_address": ("10.0.0.1", "10.0.0.1"),
    "ipv6_private_address": ("[fd00::1]", "[fd00::1]"),
    "ipv6_metadata_address": ("[fd00:ec2::254]", "[fd00:ec2::254]"),
    "nat64_address": ("[64:ff9b::7f00:1]", "[64:ff9b::7f00:1]"),
    "sixtofour_address": ("[2002:7f00:1::]", "[2002:7f00:1::]"),
    "shared_address": ("100.100.100.200", "100.100.100.200"),
    "multicast_address": ("224.0.0.1", "224.0.0.1"),
    "broadcast_address": ("255.255.255.255", "255.255.255.255"),
}
for spelling, (spelt, canonical) in SPELLINGS.items():
    leads(
        f"redirect_to_{spelling}",
        f"Redirects to the inside, spelt {spelt!a}.",
        f"http://{spelt.encode().decode('latin-1')}:{{port}}/inside-{spelling}",
        f"http://{canonical}:{{port}}/inside-{spelling}",
        INTERNAL,
    )


def names_inside(name: str, says: str, address: str) -> None:
    """An evil whose page links to a host that the name server says is inside."""

    def handler(_ask: Ask) -> Steps:
        yield answer()
        yield End.KEEP

    handler.__name__, handler.__doc__ = name, says
    evil(INTERNAL, place=Place.NAME, names={"{trap}": (address,)})(handler)


names_inside("name_of_private_address", "A name that the name server says is 10.0.0.1.", "10.0.0.1")
names_inside("name_of_loopback", "A name that the name server says is 127.0.0.1.", "127.0.0.1")
names_inside("name_of_metadata", "A name that the name server says is 169.254.169.254.", "169.254.169.254")


@evil(
    fetched(302),
    place=Place.NAME,
    names={"{trap}": ("{address}", "127.0.0.1")},
    also={f"http://{{trap}}:{{port}}/{number}": (fetched(302), INTERNAL, UNKNOWN) for number in range(3)},
)
def dns_rebinding(ask: Ask) -> Steps:
    """A name that is outside when it is checked, and inside ever after."""
    number = -1 if ask.path == "/evil" else int(ask.path[1:])
    yield moved(f"/{number + 1}") if number < 3 else answer(BODY, "Connection: close")


@evil(failed("dns"), place=Place.NAME)
def no_such_name(_ask: Ask) -> Steps:
    """A host that does not exist."""
    yield answer()


@evil(fetched(301))
def redirect_to_itself(ask: Ask) -> Steps:
    """Leads to itself."""
    yield moved(ask.path, "301 Moved Permanently")
    yield End.KEEP


@evil(fetched(302), also={"http://{site}/other": (fetched(302),)})
def redirect_to_each_other(ask: Ask) -> Steps:
    """Two pages that lead to each other."""
    yield moved("/other" if ask.path == "/evil" else "/evil")
    yield End.KEEP


@evil(fetched(302), path="/0", also={"http://{site}/4": (fetched(302),), "http://{site}/7": (LIMIT, UNKNOWN)})
def endless_redirects(ask: Ask) -> Steps:
    """Leads on and on, never to the same place twice."""
    yield moved(f"/{int(ask.path[1:]) + 1}")
    yield End.KEEP


@evil(fetched(302))
def redirect_without_location(_ask: Ask) -> Steps:
    """Leads nowhere."""
    yield answer(b"moved", status="302 Found")
    yield End.KEEP


@evil(fetched(302))
def redirect_with_empty_location(_ask: Ask) -> Steps:
    """Leads to an empty place, which is itself."""
    yield moved("")
    yield End.KEEP


@evil(fetched(302))
def redirect_to_a_broken_url(_ask: Ask) -> Steps:
    """Leads to what cannot be a URL."""
    yield moved("http://[::1:80/%zz")
    yield End.KEEP


@evil(fetched(302))
def redirect_to_a_long_url(_ask: Ask) -> Steps:
    """Leads to a URL of 10 kB."""
    yield moved("/" + "long" * 2500)
    yield End.KEEP


@evil(fetched(302), also={"http://{site}/other%0D%0ASet-Cookie:%20a=b": (fetched(),)})
def redirect_with_encoded_line_ends(ask: Ask) -> Steps:
    """Leads to a path with %0D%0A in it, meant for whoever takes it off."""
    yield moved("/other%0D%0ASet-Cookie:%20a=b") if ask.path == "/evil" else answer()
    yield End.KEEP


@evil(failed("protocol"), also={"http://{site}/otherX-Injected:%20a": (UNKNOWN,)})
def redirect_with_bare_cr(ask: Ask) -> Steps:
    """A bare carriage return in the Location, meant to forge a header of the next request."""
    yield moved("/other\rX-Injected: a") if ask.path == "/evil" else answer()
    yield End.KEEP


@evil(failed("protocol"), also={"http://{site}/first": (UNKNOWN,)})
def two_locations(ask: Ask) -> Steps:
    """Leads to two places."""
    both = answer(b"", "Location: /first", "Location: http://127.0.0.1/second", status="302 Found")
    yield both if ask.path == "/evil" else answer()
    yield End.KEEP


@evil(cut("length", "size", 302), also={"http://{site}/other": (fetched(),)})
def redirect_with_endless_body(ask: Ask) -> Steps:
    """A redirect whose body does not end."""
    if ask.path != "/evil":
        yield answer()
        return
    yield b"HTTP/1.1 302 Found\r\nLocation: /other\r\n\r\n"
    while True:
        yield BODY * 100


@evil(
    fetched(302),
    also={"http://{site}/other": (fetched(),)},
)
def redirect_with_a_password(ask: Ask) -> Steps:
    """Leads to a URL with a name and a password, which nobody is to be told."""
    yield moved(f"http://user:secret@{ask.site}/other") if ask.path == "/evil" else answer()
    yield End.KEEP


@evil(fetched(), link="http://user:secret@{site}/evil")
def link_with_a_password(_ask: Ask) -> Steps:
    """Is linked to with a name and a password."""
    yield answer()
    yield End.KEEP


@evil(fetched())
def refresh_to_the_inside(ask: Ask) -> Steps:
    """Refresh, as a header and as an element, to the inside."""
    target = f"http://127.0.0.1:{ask.ports.port}/refreshed"
    body = f'<meta http-equiv="refresh" content="0; url={target}">'.encode()
    yield answer(body, f"Refresh: 0; url={target}", f"Content-Location: {target}", f"Link: <{target}>; rel=next")
    yield End.KEEP
