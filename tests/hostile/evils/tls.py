"""TLS with certificates that are not to be trusted, and what goes wrong after the handshake."""

from tests.hostile.answers import BODY, OK, answer
from tests.hostile.evil import Ask, End, Place, Steps, cut, evil, failed, fetched


def _page(_ask: Ask) -> Steps:
    yield answer()
    yield End.KEEP


@evil(fetched(), place=Place.ALONE, scheme="https")
def good_certificate(ask: Ask) -> Steps:
    """No evil, but TLS done right: the others fail for their own sake."""
    return _page(ask)


@evil(failed("tls-expired"), place=Place.ALONE, scheme="https", certificate="expired")
def expired_certificate(ask: Ask) -> Steps:
    """A certificate that was good until two days ago."""
    return _page(ask)


@evil(failed("tls-expired"), place=Place.ALONE, scheme="https", certificate="not-yet")
def certificate_of_the_future(ask: Ask) -> Steps:
    """A certificate that is good from the day after tomorrow."""
    return _page(ask)


@evil(failed("tls-name"), place=Place.ALONE, scheme="https", certificate="other-name")
def certificate_of_another(ask: Ask) -> Steps:
    """A certificate for another host."""
    return _page(ask)


@evil(failed("tls-untrusted"), place=Place.ALONE, scheme="https", certificate="stranger")
def certificate_of_a_stranger(ask: Ask) -> Steps:
    """A certificate from an authority that is not trusted."""
    return _page(ask)


@evil(failed("tls"), place=Place.ALONE, scheme="https", certificate="good:TLSv1")
def old_tls(ask: Ask) -> Steps:
    """Speaks nothing newer than TLS 1.0."""
    return _page(ask)


@evil(cut("disconnect", "disconnect"), place=Place.ALONE, scheme="https")
def tls_cut_off(_ask: Ask) -> Steps:
    """TLS is reset in the middle of a body."""
    yield OK + b"Content-Length: %d\r\n\r\n%b" % (len(BODY) * 2, BODY)
    yield End.RESET


@evil(cut("disconnect", "disconnect"), fetched(), place=Place.ALONE, scheme="https")
def tls_without_its_end(_ask: Ask) -> Steps:
    """A body that ends with the connection, which ends without TLS's own end: somebody may have cut it off."""
    yield OK + b"Connection: close\r\n\r\n" + BODY
    yield End.RESET


@evil(fetched(302), place=Place.ALONE, scheme="https", also={"http://{site}/lower": (fetched(),)})
def redirect_out_of_tls(ask: Ask) -> Steps:
    """Leads from https to http."""
    yield answer(b"", f"Location: http://{ask.site.removeprefix('trap.')}/lower", status="302 Found")
    yield End.KEEP
