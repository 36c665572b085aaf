"""Header fields that are looked at: Retry-After, what says how long something holds, X-Robots-Tag, Location."""

from hypothesis import strategies as st

from crawler.network.web import Request, Response
from crawler.pages.http_date import LONGEST_WAIT_SECONDS, seconds_to_wait
from crawler.pages.response_reader import headers_of, read
from crawler.pages.robots_meta import asked_of
from crawler.politeness.robots.http_freshness import lifetime
from sessions.url import canonical
from tests.fuzz.mutations import mutated
from tests.fuzz.target import Target, alone

Fields = tuple[bytes, float]
"""Header lines, one after the other, and when they came, in seconds since 1970."""

TOKENS = [
    *(
        b"Retry-After: ",
        b"Retry-After: 120\r\n",
        b"Date: ",
        b"Expires: ",
        b"Age: ",
        b"Cache-Control: max-age=",
        b"ETag: ",
    ),
    *(b"X-Robots-Tag: ", b"Location: ", b"Fri, 31 Dec 1999 23:59:59 GMT", b"Sat, 01 Jan 0000 00:00:00 -9999", b"GMT"),
    *(
        b"31 Dec 99999999999999999999 23:59:59",
        b"s-maxage=",
        b"no-store",
        b"noindex",
        b"foobot: none",
        b"unavailable_after: ",
    ),
    *(
        b"9" * 30,
        b"-1",
        b"1e9",
        b"0x1",
        b"\xd9\xa1",
        b"\xc2\xb2",
        b",",
        b";",
        b'"',
        b"=",
        b":",
        b"::",
        b" ",
        b"\t",
        b"\r\n",
    ),
    *(
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b"\xe2\x80\xa8",
        b"(",
        b")",
        b"(comment",
        b"+0000",
        b"-0000",
        b"+99999",
        b"Jan",
        b".",
    ),
    *(
        b"Content-Type: text/html;charset=",
        b"Content-Encoding: gzip,gzip,",
        b"99:99:99",
        b"1 Jan 1 1:1",
        b"//[",
        b"http://x",
    ),
]
SEEDS = [
    b"Retry-After: 120\r\nDate: Fri, 31 Dec 1999 23:59:59 GMT\r\n",
    b"Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n",
    b"Expires: Thu, 01 Dec 1994 16:00:00 GMT\r\nDate: Thu, 01 Dec 1994 15:00:00 GMT\r\nAge: 5\r\n",
    b'Cache-Control: public, max-age=60, s-maxage="90"\r\nCache-Control: private="x"\r\n',
    b"X-Robots-Tag: noindex\r\nX-Robots-Tag: foobot: nofollow, otherbot: none\r\n",
    b"Location: http://b.example/x?y#z\r\nRetry-After: 0\r\n",
    b"Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT\r\nExpires: Sun Nov  6 08:49:37 1994\r\nDate: 0\r\n",
]


def check(fields: Fields) -> str:
    """Every field means something or nothing, within its bounds."""
    lines, received = fields
    head = [b"HTTP/1.1 302 Found\r\n", *lines.split(b"\n")]
    headers = headers_of(head)
    wait, holds = seconds_to_wait(headers, received), lifetime(headers)
    assert 0 <= wait <= LONGEST_WAIT_SECONDS
    assert holds is None or 0 <= holds < float("inf")
    asked = asked_of("foobot", headers.get(b"x-robots-tag"))
    redirect = read(Response(Request("http://a.example/", None), 302, head, lines), 1 << 16).redirect
    assert redirect is None or canonical(redirect) == redirect
    said = {"wait": wait > 0, "holds": holds is not None, "asked": any(asked), "redirect": redirect is not None}
    return "+".join(name for name, is_said in said.items() if is_said) or "nothing"


TARGET = Target(
    "fields",
    st.tuples(mutated(SEEDS, TOKENS, longest=1 << 16), st.floats(0, 4e9)),
    alone(check),
    share=0.12,
)
