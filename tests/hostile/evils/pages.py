"""Documents that are too much, or not what they are said to be."""

import gzip

from tests.hostile.answers import BODY, answer, page, prepared
from tests.hostile.evil import UNKNOWN, Ask, End, Steps, cut, evil, fetched, filtered

LINK = b'<a href="/behind">behind</a>'
BEHIND = {"http://{site}/behind": (fetched(),)}


def document(ask: Ask, body: bytes, *header_lines: str, content_type: str = "text/html; charset=utf-8") -> Steps:
    """The evil document, and good pages wherever its links lead."""
    if ask.path == "/evil":
        yield answer(body, *header_lines, content_type=content_type)
    else:
        yield answer(BODY)
    yield End.KEEP


@prepared
def _million_links() -> bytes:
    return gzip.compress(b"<!doctype html>" + b"".join(b"<a href=/l%d>" % number for number in range(1_000_000)), 1)


@evil(fetched(), fetched(error="parse-time"), also={"http://{site}/l999999": (UNKNOWN, filtered("..."))})
def million_links(ask: Ask) -> Steps:
    """A million links to pages of the site."""
    return document(ask, _million_links(), "Content-Encoding: gzip")


@evil(fetched(), also=BEHIND)
def link_a_million_times(ask: Ask) -> Steps:
    """One link, 35,000 times."""
    return document(ask, LINK * 35_000)


@evil(fetched())
def nested_elements(ask: Ask) -> Steps:
    """A hundred thousand elements in each other."""
    return document(ask, gzip.compress(b"<div>" * 100_000 + LINK + b"</div>" * 100_000, 1), "Content-Encoding: gzip")


@evil(fetched())
def nested_lists_and_tables(ask: Ask) -> Steps:
    """Elements in each other that HTML's rules make expensive."""
    return document(ask, b"<table><tr><td><font><b><a><ul><li>" * 20_000 + LINK)


@prepared
def _million_attributes() -> bytes:
    attributes = b"".join(b" a%d" % number for number in range(200_000)) + b" b" * 800_000
    return gzip.compress(b"<p" + attributes + b">" + LINK, 1)


@evil(fetched(), also=BEHIND)
def million_attributes(ask: Ask) -> Steps:
    """An element of a million attributes, and a link behind it."""
    return document(ask, _million_attributes(), "Content-Encoding: gzip")


@evil(fetched())
def unclosed_everything(ask: Ask) -> Steps:
    """A quote, a comment, a script, a title that never end, with links in them."""
    return document(ask, b'<a href="/x><!-- <title><script>' + LINK * 1000 + b"<![CDATA[" * 1000)


@evil(fetched())
def entities_for_ever(ask: Ask) -> Steps:
    """XML that defines entities by each other, a billion laughs."""
    laughs = b"".join(b'<!ENTITY l%d "%b">' % (n, b"&l%d;" % (n - 1) * 10) for n in range(1, 12))
    body = b'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY l0 "ha">' + laughs + b"]><html><p>&l11;</p></html>"
    return document(ask, body, content_type="application/xhtml+xml")


@evil(fetched())
def entity_of_a_file(ask: Ask) -> Steps:
    """XML that asks its reader to fetch a file and a page inside."""
    entities = (
        '<!ENTITY % dtd SYSTEM "http://127.0.0.1:{port}/x.dtd"> %dtd; <!ENTITY f SYSTEM "file:///etc/passwd">'.replace(
            "{port}", str(ask.ports.port)
        )
    )
    body = f'<!DOCTYPE html [{entities}]><html><a href="/&f;">x</a></html>'.encode()
    return document(ask, body, content_type="application/xhtml+xml")


@evil(fetched())
def binary_as_html(ask: Ask) -> Steps:
    """Every byte there is, said to be HTML."""
    return document(ask, bytes(range(256)) * 2000)


@evil(fetched())
def page_of_nuls(ask: Ask) -> Steps:
    """A megabyte of NUL bytes, said to be HTML."""
    return document(ask, bytes(1 << 20))


@evil(fetched(), also={"http://{site}/behind": (UNKNOWN, fetched())})
def html_as_image(ask: Ask) -> Steps:
    """A page said to be an image: its links are none."""
    return document(ask, LINK, content_type="image/png")


@evil(fetched(), also=BEHIND)
def image_as_html(ask: Ask) -> Steps:
    """An image said to be a page, and a link behind its end."""
    return document(ask, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 10 + b">" + LINK)


@evil(fetched(), also=BEHIND)
def wrong_charset(ask: Ask) -> Steps:
    """Latin-1 said to be UTF-8, and the other way round in its meta element."""
    return document(ask, b"<meta charset=latin1><p>\xe4\xf6\xfc\xff\xfe</p>" + LINK)


@evil(fetched(), also=BEHIND)
def unknown_charset(ask: Ask) -> Steps:
    """A character set that there is not."""
    return document(ask, LINK, content_type='text/html; charset="../../etc/passwd\'"')


@evil(fetched(), also={"http://{site}/utf7": (UNKNOWN,)})
def utf7(ask: Ask) -> Steps:
    """A link that is one only in UTF-7, which nobody may decode any more."""
    return document(ask, b"+ADw-a href+AD0-/utf7+AD4-x+ADw-/a+AD4-", content_type="text/html; charset=utf-7")


@evil(fetched())
def half_an_utf16(ask: Ask) -> Steps:
    """UTF-16 with an odd number of bytes and half a surrogate pair."""
    return document(ask, '<a href="/'.encode("utf-16") + b"\x3d\xd8\x00", content_type="text/html")


@evil(fetched(), also={"http://{site}/behind": (UNKNOWN, fetched())})
def base_of_javascript(ask: Ask) -> Steps:
    """A base element that says javascript:."""
    return document(ask, b'<base href="javascript:alert(1)//">' + b'<a href="behind">x</a>')


@evil(
    fetched(),
    names={"elsewhere.{site}": ("{address}",)},
    also={"http://elsewhere.{site}:{port}/behind": (fetched(),)},
)
def base_of_another(ask: Ask) -> Steps:
    """A base element that says that all links are another host's."""
    body = f'<base href="http://elsewhere.{ask.site}:{ask.ports.port}/">'.encode() + b"<base href=/>" + LINK
    return document(ask, body)


@evil(fetched())
def links_of_all_schemes(ask: Ask) -> Steps:
    """Links that are no pages: javascript, data, file, mailto, tel, about, blob, view-source, intent."""
    links = [
        "javascript:alert(1)", "JaVaScRiPt\n:alert(1)", "data:text/html,<a href=/forbidden/x>", "file:///etc/passwd",
        "file://localhost/etc/shadow", "mailto:a@b", "tel:1", "about:blank", "blob:http://a/b", "view-source:http://a/",
        "intent://a#Intent;end", "ftp://127.0.0.1/", "\\\\127.0.0.1\\share", "jar:http://a!/b", "ldap://127.0.0.1/",
    ]  # fmt: skip
    return document(ask, page(links))


@evil(fetched())
def urls_of_100_kb(ask: Ask) -> Steps:
    """Links of 100 kB: longer than a URL of the crawl may be."""
    return document(
        ask, page(["/" + "long/" * 20_000, "/?" + "q=1&" * 25_000, "//" + "a." * 50_000, "/#" + "f" * 100_000])
    )


@evil(fetched(), also={"http://{site}/a%00b": (fetched(),), "http://{site}/carriagereturn": (fetched(),)})
def controls_in_links(ask: Ask) -> Steps:
    """Control characters in links: NUL, line ends, tabs, escapes, what changes the direction of text."""
    links = [
        "/a%00b", "/carriage\rreturn", "/x%0d%0aHost:%20inside", "/escape\x1b[31mred", "/\u202egnp.exe", "/\u0000nul",
        "/bell\x07", "/\x7f", "/a\u2028b", "/%", "/%zz", "/%c0%ae%c0%ae/", "/\ud7ff\ufffe", "?\r\n\r\nWARC/1.1",
    ]  # fmt: skip
    return document(ask, page(links))


@evil(fetched(), also={"http://{site}/etc/passwd": (fetched(),)})
def paths_of_files(ask: Ask) -> Steps:
    """Links and headers with paths that lead out of wherever they are used."""
    links = [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/x",
        "/C:\\x",
        "/con.txt",
        "/~root",
    ]
    names = ('Content-Disposition: attachment; filename="../../../../tmp/owned"', "Content-Location: /../../etc/passwd")
    return document(ask, page(links), *names)


@evil(fetched(), path="/..%2F..%2Fetc%2Fpasswd")
def path_of_a_file(_ask: Ask) -> Steps:
    """A page whose own path leads out of a folder."""
    yield answer(BODY, 'Content-Disposition: attachment; filename="/etc/passwd"')
    yield End.KEEP


@evil(fetched())
def page_is_a_warc(ask: Ask) -> Steps:
    """A page that is a WARC record, whole and valid, behind the end of another."""
    record = (
        b"\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n"
        b"WARC-Record-ID: <urn:uuid:12345678-1234-1234-1234-123456789012>\r\n"
        b"WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: http://forged.example/\r\n"
        b"Content-Type: application/http;msgtype=response\r\nContent-Length: 38\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    return document(ask, record * 10 + gzip.compress(record) + LINK)


@evil(fetched(), also={"http://{site}/behind": (UNKNOWN, fetched(), filtered("..."))})
def nofollow_everywhere(ask: Ask) -> Steps:
    """Contradictory wishes of its author, in every place for them."""
    metas = b"<meta name=robots content='nofollow,noindex,all,none,follow'><meta name=googlebot content=index>"
    return document(ask, metas + LINK, "X-Robots-Tag: unavailable_after: never, nofollow", "X-Robots-Tag: cutweb: none")


@evil(fetched())
def text_of_one_word(ask: Ask) -> Steps:
    """A megabyte of one word, in a title, with every letter an entity."""
    return document(ask, b"<title>" + b"&#x41;" * 160_000 + b"</title>")


@evil(cut("length", "size"))
def html_beyond_the_limit(ask: Ask) -> Steps:
    """More HTML than a body may have, with links to the last."""
    links = (b'<a href="/m%d">' % number for number in range(300_000))
    return document(ask, b"".join(links))
