"""Certificates, right ones and wrong ones."""

import ssl
import warnings
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import trustme


class Certificates:
    """One authority that the crawl is told to trust, another that it is not, and what they sign."""

    def __init__(self) -> None:
        self._trusted = trustme.CA(key_type=trustme.KeyType.ECDSA)

    @cached_property
    def _stranger(self) -> trustme.CA:
        return trustme.CA(key_type=trustme.KeyType.ECDSA)

    def write_authority(self, path: Path) -> None:
        """Write the certificate of the trusted authority, in PEM."""
        self._trusted.cert_pem.write_to_path(str(path))

    def context(self, kind: str, host: str, protocol: str = "http/1.1") -> ssl.SSLContext:
        """What a TLS server for a host needs; ``kind`` is good, expired, not-yet, other-name or stranger.

        Whatever follows a colon limits the protocol: good:TLSv1 speaks nothing newer than TLS 1.0.
        """
        kind, _, newest = kind.partition(":")
        now = datetime.now(UTC)
        issuer = self._stranger if kind == "stranger" else self._trusted
        name = "elsewhere.example" if kind == "other-name" else host
        days = {"expired": (-9, -2), "not-yet": (2, 9)}.get(kind, (-1, 9))
        begin, end = (now + timedelta(days=number) for number in days)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        issuer.issue_cert(name, not_before=begin, not_after=end, key_type=trustme.KeyType.ECDSA).configure_cert(context)
        context.set_alpn_protocols([protocol])
        if newest:
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # it is meant to be old
                context.set_ciphers("ALL:@SECLEVEL=0")
                context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
                context.maximum_version = ssl.TLSVersion[newest]
        return context
