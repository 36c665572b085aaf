"""robots.txt files (RFC 9309) that are none, or too much."""

import gzip

from tests.hostile.answers import answer, gzip_of_64_mebibytes, page
from tests.hostile.evil import Ask, End, Pause, Place, Record, Steps, evil, failed, fetched, filtered

ROBOTS = {"place": Place.ROBOTS}
UNREACHABLE = Record("queued", "...")


def text(body: bytes, *header_lines: str, status: str = "200 OK") -> bytes:
    """An answer of plain text."""
    return answer(body, *header_lines, status=status, content_type="text/plain")


@evil(fetched(), **ROBOTS)
def robots_missing(_ask: Ask) -> Steps:
    """404: everything is allowed (section 2.3.1.3)."""
    yield text(b"no", status="404 Not Found")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_forbidden(_ask: Ask) -> Steps:
    """403: everything is allowed (section 2.3.1.3)."""
    yield text(b"no", status="403 Forbidden")
    yield End.KEEP


@evil(filtered("robots-500"), **ROBOTS)
def robots_error(_ask: Ask) -> Steps:
    """500: nothing is allowed (section 2.3.1.4)."""
    yield text(b"oops", status="500 Internal Server Error")
    yield End.KEEP


@evil(filtered("robots-429"), fetched(), **ROBOTS)
def robots_too_many(_ask: Ask) -> Steps:
    """429: a 4xx that asks to go away."""
    yield text(b"slow down", "Retry-After: 86400", status="429 Too Many Requests")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_is_a_page(_ask: Ask) -> Steps:
    """An error page of HTML, served as 200, with what looks like rules in its text."""
    yield answer(b"<!doctype html>\n<title>404</title>\n<p>User-agent: *\n<p>Disallow: /\n")
    yield End.KEEP


@evil(filtered("robots"), **ROBOTS)
def robots_of_10_megabytes(_ask: Ask) -> Steps:
    """10 MB of rules, of which 500 KiB are to be read (section 2.5): too many to be obeyed but by staying away."""
    rules = b"".join(b"Disallow: /private/%d/*/x$\n" % number for number in range(300_000))
    yield text(b"User-agent: *\n" + rules + b"Disallow: /\n")


@evil(fetched(), **ROBOTS)
def endless_robots(_ask: Ask) -> Steps:
    """Rules without end."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\n"
    while True:
        yield b"Disallow: /private/\n" * 500


@evil(fetched(), **ROBOTS)
def endless_line_of_robots(_ask: Ask) -> Steps:
    """One rule without end."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /"
    while True:
        yield b"private/" * 500


@evil(fetched(), **ROBOTS)
def robots_bomb(_ask: Ask) -> Steps:
    """64 MiB of zeros in 64 kB, for rules."""
    yield text(gzip_of_64_mebibytes(), "Content-Encoding: gzip")


@evil(fetched(), **ROBOTS)
def exploding_robots(_ask: Ask) -> Steps:
    """Wildcards on which a regular expression takes for ever."""
    yield text(b"User-agent: *\n" + b"Disallow: /%b$\n" % (b"*a" * 300) + b"Disallow: /%b\n" % (b"*" * 5000 + b"!"))
    yield End.KEEP


@evil(failed("idle"), UNREACHABLE, **ROBOTS)
def silent_robots(_ask: Ask) -> Steps:
    """Never answers."""
    yield End.SILENCE


@evil(failed("timeout"), UNREACHABLE, **ROBOTS)
def slow_robots(_ask: Ask) -> Steps:
    """A byte of a rule now and then."""
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    while True:
        yield b"#"
        yield Pause(0.2)


@evil(failed("empty"), failed("disconnect"), UNREACHABLE, **ROBOTS)
def empty_answer_for_robots(_ask: Ask) -> Steps:
    """Closes without a word, which may reset the connection before its end is read."""
    yield End.CLOSE


@evil(failed("disconnect"), UNREACHABLE, **ROBOTS)
def half_a_robots(_ask: Ask) -> Steps:
    """Closes in the middle: what forbids all may be in the other half."""
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nUser-agent: *\nAllow: /\n"


@evil(fetched(), **ROBOTS)
def robots_redirects_to_itself(_ask: Ask) -> Steps:
    """Leads round: beyond five redirects it counts as missing (section 2.3.1.2)."""
    yield text(b"", "Location: /robots.txt", status="301 Moved Permanently")
    yield End.KEEP


@evil(failed("internal-address"), filtered("internal-address"), fetched(), UNREACHABLE, **ROBOTS)
def robots_redirects_inside(ask: Ask) -> Steps:
    """Leads to the inside."""
    yield text(b"", f"Location: http://127.0.0.1:{ask.ports.port}/robots.txt", status="301 Moved Permanently")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_redirects_to_a_file(_ask: Ask) -> Steps:
    """Leads to a file of the crawler's own machine."""
    yield text(b"", "Location: file:///etc/passwd", status="301 Moved Permanently")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def binary_robots(_ask: Ask) -> Steps:
    """Random bytes with line ends and NUL bytes."""
    yield text(bytes(range(256)) * 1000)
    yield End.KEEP


@evil(filtered("robots"), **ROBOTS)
def robots_in_utf16(_ask: Ask) -> Steps:
    """Forbids everything, in an encoding that is not the one it has to be in but that its first bytes tell."""
    yield text("\ufeffUser-agent: *\r\nDisallow: /\r\n".encode("utf-16-le"))
    yield End.KEEP


@evil(filtered("robots"), **ROBOTS)
def robots_with_a_mark(_ask: Ask) -> Steps:
    """Forbids everything, behind a byte-order mark, in lines that end in carriage returns."""
    yield text(b"\xef\xbb\xbfUser-agent: *\rDisallow: /\r")
    yield End.KEEP


@evil(filtered("robots"), **ROBOTS)
def packed_robots(_ask: Ask) -> Steps:
    """Forbids everything, packed."""
    yield text(gzip.compress(b"User-agent: *\nDisallow: /\n"), "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(), UNREACHABLE, filtered("..."), **ROBOTS)
def robots_with_a_huge_delay(_ask: Ask) -> Steps:
    """Asks for a delay beyond all measure; what it is capped at may be waited for."""
    yield text(b"User-agent: *\nCrawl-delay: 1e308\nDisallow: /forbidden/\n")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_with_a_broken_delay(_ask: Ask) -> Steps:
    """Delays that are none."""
    yield text(b"User-agent: *\nCrawl-delay: nan\nCrawl-delay: -5\nCrawl-delay: inf\nDisallow: /forbidden/\n")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_for_a_million_agents(_ask: Ask) -> Steps:
    """Groups for ever more agents, none of them us."""
    yield text(b"".join(b"User-agent: bot%d\n" % number for number in range(30_000)) + b"Disallow: /\n")
    yield End.KEEP


@evil(fetched(), **ROBOTS)
def robots_with_sitemaps_inside(ask: Ask) -> Steps:
    """Sitemaps inside, on other hosts, and in files; they are kept, not fetched."""
    maps = (f"http://127.0.0.1:{ask.ports.port}/sitemap.xml", "file:///etc/passwd", "http://user:secret@a.example/")
    yield text(b"".join(b"Sitemap: %b\n" % line.encode() for line in maps) + page([]))
    yield End.KEEP
