"""Is it the proxy that does not answer, or the site behind it?  By what libcurl says of a failed transfer."""

import pycurl

from crawler.network.web import PROXY

_REFUSED_US = 407
"""Proxy Authentication Required (RFC 9110, section 15.5.8)."""
_SOCKS_ERROR = 97
"""CURLE_PROXY, of which pycurl knows no name."""
_SOCKS_REPLIES = range(19, 25)
"""Codes of CURLINFO_PROXY_ERROR (CURLPX_REPLY_...) with which a proxy of SOCKS says how it fared with the site."""
_TLS = (pycurl.E_SSL_CONNECT_ERROR, pycurl.E_PEER_FAILED_VERIFICATION)


def is_refusal(status: int) -> bool:
    """Does an answer with this status come from the proxy, which does not let us through?"""
    return status == _REFUSED_US


def error_behind(curl: pycurl.Curl, code: int) -> str | None:
    """Return `PROXY` if it is to blame for libcurl's ``code``, ``connect`` if it did not reach the site, else None."""
    answered = curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if answered >= 300:
        return PROXY if is_refusal(answered) else "connect"
    if code == _SOCKS_ERROR:
        return "connect" if curl.getinfo(pycurl.PROXY_ERROR) in _SOCKS_REPLIES else PROXY
    if code == pycurl.E_COULDNT_CONNECT:
        return PROXY
    has_connected = curl.getinfo(pycurl.CONNECT_TIME) > 0
    if code == pycurl.E_OPERATION_TIMEDOUT and not has_connected:
        return PROXY
    if code in _TLS and not answered and curl.getinfo(pycurl.PROXY_SSL_VERIFYRESULT):
        return PROXY
    return None
