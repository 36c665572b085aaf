"""What libcurl's error codes mean to a crawl: the kind of error, and whether the request is worth sending again.

All codes are here, also those that a GET over HTTP cannot meet; a test compares with the library.  What `Transfer`
breaks off itself (23, 42) is told by why it did.
"""

from typing import NamedTuple


class CurlError(NamedTuple):
    """A code of libcurl: its ``name`` without CURLE_, and the ``kind`` (of `ERROR_KINDS`) it is told as.

    ``is_hopeless`` if the same request would fail in the same way, because of ``reason``.
    """

    name: str
    kind: str
    is_hopeless: bool
    reason: str


_NOT_OURS = "nothing that we ask for can end so"


def _again(name: str, kind: str, reason: str) -> CurlError:
    return CurlError(name, kind, False, reason)


def _never(name: str, kind: str, reason: str) -> CurlError:
    return CurlError(name, kind, True, reason)


def _other(name: str, reason: str = _NOT_OURS) -> CurlError:
    return CurlError(name, "other", True, reason)


CURL_ERRORS: dict[int, CurlError] = {
    1: _never("UNSUPPORTED_PROTOCOL", "protocol", "an HTTP version that is none, HTTP/0.9, or no HTTP at all"),
    2: _again("FAILED_INIT", "other", "memory or descriptors may be free again"),
    3: _never("URL_MALFORMAT", "url", "the URL stays as it is"),
    4: _other("NOT_BUILT_IN", "this libcurl cannot do it, later no more than now"),
    5: _again("COULDNT_RESOLVE_PROXY", "proxy", "says nothing of the site"),
    6: _other("COULDNT_RESOLVE_HOST"),
    7: _again("COULDNT_CONNECT", "connect", "the server may be back, or be at another address; `proxy` of one"),
    8: _never("WEIRD_SERVER_REPLY", "protocol", "a head that is none: bad status, bad header line, NUL, bad length"),
    9: _other("REMOTE_ACCESS_DENIED"),
    10: _other("FTP_ACCEPT_FAILED"),
    11: _other("FTP_WEIRD_PASS_REPLY"),
    12: _other("FTP_ACCEPT_TIMEOUT"),
    13: _other("FTP_WEIRD_PASV_REPLY"),
    14: _other("FTP_WEIRD_227_FORMAT"),
    15: _other("FTP_CANT_GET_HOST"),
    16: _again("HTTP2", "protocol", "of the whole connection, which other streams may have brought down"),
    17: _other("FTP_COULDNT_SET_TYPE"),
    18: _again("PARTIAL_FILE", "disconnect", "the connection broke"),
    19: _other("FTP_COULDNT_RETR_FILE"),
    20: _other("OBSOLETE20"),
    21: _other("QUOTE_ERROR"),
    22: _other("HTTP_RETURNED_ERROR"),
    23: _again("WRITE_ERROR", "other", "broken off by us; a header that is too large is hopeless, `header-size`"),
    24: _other("OBSOLETE24"),
    25: _other("UPLOAD_FAILED"),
    26: _other("READ_ERROR"),
    27: _again("OUT_OF_MEMORY", "other", "memory may be free again"),
    28: _again("OPERATION_TIMEDOUT", "timeout", "the way or the server was slow; `connect-timeout` before sending"),
    29: _other("OBSOLETE29"),
    30: _other("FTP_PORT_FAILED"),
    31: _other("FTP_COULDNT_USE_REST"),
    32: _other("OBSOLETE32"),
    33: _other("RANGE_ERROR"),
    34: _other("OBSOLETE34"),
    35: _again("SSL_CONNECT_ERROR", "tls", "a handshake also fails where the connection breaks"),
    36: _other("BAD_DOWNLOAD_RESUME"),
    37: _other("FILE_COULDNT_READ_FILE"),
    38: _other("LDAP_CANNOT_BIND"),
    39: _other("LDAP_SEARCH_FAILED"),
    40: _other("OBSOLETE40"),
    41: _other("OBSOLETE41"),
    42: _again("ABORTED_BY_CALLBACK", "other", "broken off by us, because it would have been sent twice"),
    43: _other("BAD_FUNCTION_ARGUMENT", "an error of ours"),
    44: _other("OBSOLETE44"),
    45: _again("INTERFACE_FAILED", "other", "ports on our side may be free again"),
    46: _other("OBSOLETE46"),
    47: _other("TOO_MANY_REDIRECTS"),
    48: _other("UNKNOWN_OPTION", "an error of ours"),
    49: _other("SETOPT_OPTION_SYNTAX", "an error of ours"),
    50: _other("OBSOLETE50"),
    51: _other("OBSOLETE51"),
    52: _again("GOT_NOTHING", "empty", "the connection was closed before anything came"),
    53: _other("SSL_ENGINE_NOTFOUND"),
    54: _other("SSL_ENGINE_SETFAILED"),
    55: _again("SEND_ERROR", "disconnect", "the connection broke"),
    56: _again("RECV_ERROR", "disconnect", "the connection broke; `protocol` if it was for a bad chunk"),
    57: _other("OBSOLETE57"),
    58: _other("SSL_CERTPROBLEM")._replace(kind="tls"),
    59: _never("SSL_CIPHER", "tls", "no cipher that both know"),
    60: _never("PEER_FAILED_VERIFICATION", "tls-untrusted", "the certificate is no other in a minute"),
    61: _never("BAD_CONTENT_ENCODING", "protocol", "a transfer encoding that nobody asked for"),
    62: _other("OBSOLETE62"),
    63: _other("FILESIZE_EXCEEDED"),
    64: _other("USE_SSL_FAILED"),
    65: _other("SEND_FAIL_REWIND"),
    66: _other("SSL_ENGINE_INITFAILED"),
    67: _other("LOGIN_DENIED"),
    68: _other("TFTP_NOTFOUND"),
    69: _other("TFTP_PERM"),
    70: _other("REMOTE_DISK_FULL"),
    71: _other("TFTP_ILLEGAL"),
    72: _other("TFTP_UNKNOWNID"),
    73: _other("REMOTE_FILE_EXISTS"),
    74: _other("TFTP_NOSUCHUSER"),
    75: _other("OBSOLETE75"),
    76: _other("OBSOLETE76"),
    77: _never("SSL_CACERT_BADFILE", "tls", "our file of certificates cannot be read"),
    78: _other("REMOTE_FILE_NOT_FOUND"),
    79: _other("SSH"),
    80: _again("SSL_SHUTDOWN_FAILED", "other", "the connection broke"),
    81: _again("AGAIN", "other", "a socket was not ready"),
    82: _other("SSL_CRL_BADFILE"),
    83: _never("SSL_ISSUER_ERROR", "tls-untrusted", "the certificate is no other in a minute"),
    84: _other("FTP_PRET_FAILED"),
    85: _other("RTSP_CSEQ_ERROR"),
    86: _other("RTSP_SESSION_ERROR"),
    87: _other("FTP_BAD_FILE_LIST"),
    88: _other("CHUNK_FAILED"),
    89: _again("NO_CONNECTION_AVAILABLE", "other", "connections may be free again"),
    90: _other("SSL_PINNEDPUBKEYNOTMATCH"),
    91: _other("SSL_INVALIDCERTSTATUS"),
    92: _again("HTTP2_STREAM", "protocol", "a server that is too busy refuses streams, too"),
    93: _other("RECURSIVE_API_CALL", "an error of ours"),
    94: _other("AUTH_ERROR"),
    95: _other("HTTP3"),
    96: _other("QUIC_CONNECT_ERROR"),
    97: _again("PROXY", "proxy", "of SOCKS; `connect` if that did not reach the site"),
    98: _never("SSL_CLIENTCERT", "other", "the server wants a certificate of ours, and we have none"),
    99: _again("UNRECOVERABLE_POLL", "other", "memory or descriptors may be free again"),
    100: _never("TOO_LARGE", "header-size", "the header stays as large"),
    101: _other("ECH_REQUIRED"),
}
"""By code; 0 is no error."""

_UNKNOWN = CurlError("", "other", False, "a code of a newer libcurl")


def curl_error(code: int) -> CurlError:
    """What an error code of libcurl means; of one that is not known it may be worth trying again."""
    return CURL_ERRORS.get(code, _UNKNOWN)
