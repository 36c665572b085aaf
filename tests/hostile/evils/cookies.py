"""Cookies from hell; none is ever to be sent back, which the log tells."""

from tests.hostile.answers import BODY, answer
from tests.hostile.evil import Ask, End, Steps, evil, failed, fetched


@evil(fetched(), failed("header-size"))
def thousand_cookies(_ask: Ask) -> Steps:
    """Sets a thousand cookies."""
    yield answer(BODY, *(f"Set-Cookie: c{number}=v{number}; Path=/; Max-Age=99999999" for number in range(1000)))
    yield End.KEEP


@evil(failed("header-size"))
def cookie_of_a_megabyte(_ask: Ask) -> Steps:
    """Sets a cookie of a megabyte."""
    yield answer(BODY, "Set-Cookie: c=" + "v" * (1 << 20))


@evil(fetched())
def cookies_for_others(_ask: Ask) -> Steps:
    """Sets cookies for other hosts, for all hosts, and without names."""
    domains = ("example", ".example", "evil-cookies-for-others.example", "127.0.0.1", "")
    yield answer(BODY, *(f"Set-Cookie: c=1; Domain={domain}; Path=/" for domain in domains), "Set-Cookie: =;;=")
    yield End.KEEP


@evil(fetched(302), also={"http://{site}/welcome": (fetched(302),), "http://{site}/evil?again": (fetched(302),)})
def cookie_wall(ask: Ask) -> Steps:
    """Leads round until a cookie comes back."""
    target = "/evil?again" if ask.path == "/welcome" else "/welcome"
    yield answer(b"", f"Location: {target}", "Set-Cookie: seen=1; Path=/", status="302 Found")
    yield End.KEEP
