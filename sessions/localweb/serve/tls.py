"""https for whatever host is asked for: a throw-away certificate authority, and TLS over bytes instead of a socket.

The bytes' way, through `ssl.MemoryBIO`, lets a connection find out from its first byte whether it is TLS.
"""

import ssl
import tempfile
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

_MOST_CONTEXTS = 1024
_READ_BYTES = 1 << 16
_VALID = timedelta(days=365)


class Authority:
    """Signs a certificate for every host name that a client asks for, and keeps the latest thousand.

    ``certificate`` is the file by which clients know the authority; `close` removes it.  The host certificates are
    put together here, because trustme knows no names with an underscore, which hosts on the web do have.
    """

    def __init__(self, *own_names: str) -> None:
        authority = trustme.CA(organization_name="cutweb local web", key_type=trustme.KeyType.ECDSA)
        self._own = x509.load_pem_x509_certificate(authority.cert_pem.bytes())
        key = load_pem_private_key(authority.private_key_pem.bytes(), None)
        assert isinstance(key, ec.EllipticCurvePrivateKey)
        self._key = key
        self._host_key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: OrderedDict[str, ssl.SSLContext] = OrderedDict()
        self.context = self._issue(*dict.fromkeys((*own_names, "localhost", "127.0.0.1")))
        self.context.sni_callback = self._choose
        with tempfile.NamedTemporaryFile(prefix="cutweb-ca-", suffix=".pem", delete=False) as file:
            file.write(authority.cert_pem.bytes())
        self.certificate = Path(file.name)

    def close(self) -> None:
        """Remove the certificate's file."""
        self.certificate.unlink(missing_ok=True)

    def write(self, name: str, path: Path) -> None:
        """Write a host's key and certificate into one file, for servers other than ours.

        Raises ValueError for what can be no host's name.
        """
        path.write_bytes(self._key_and_certificate(name))

    def _choose(self, connection: ssl.SSLObject, name: str | None, _context: ssl.SSLContext) -> int | None:
        """What the TLS library calls with the name that a client asks for."""
        if name is None:
            return None
        try:
            connection.context = self._context_for(name.lower())
        except ValueError:
            return int(ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME)
        return None

    def _context_for(self, name: str) -> ssl.SSLContext:
        context = self._contexts.get(name)
        if context is None:
            context = self._contexts[name] = self._issue(name)
            if len(self._contexts) > _MOST_CONTEXTS:
                self._contexts.popitem(last=False)
        self._contexts.move_to_end(name)
        return context

    def _issue(self, *names: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with tempfile.NamedTemporaryFile(prefix="cutweb-", suffix=".pem") as file:  # the library reads only files
            file.write(self._key_and_certificate(*names))
            file.flush()
            context.load_cert_chain(file.name)
        return context

    def _key_and_certificate(self, *names: str) -> bytes:
        key = self._host_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return key + self._signed(names).public_bytes(Encoding.PEM)

    def _signed(self, names: tuple[str, ...]) -> x509.Certificate:
        now = datetime.now(UTC)
        authority_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([]))
            .issuer_name(self._own.subject)
            .public_key(self._host_key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _VALID)
            .not_valid_after(now + _VALID)
            .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=True)
            .add_extension(authority_key, critical=False)
            .sign(self._key, hashes.SHA256())
        )


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class TlsLayer:
    """The server's side of one TLS connection; what it has to say to the client is fetched with `take_outgoing`."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._ssl = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._is_established = False

    def decrypt(self, data: bytes) -> bytes:
        """Take what the client sent; the plain bytes that are complete.  Raises ssl.SSLError if it is not TLS."""
        self._incoming.write(data)
        plain: list[bytes] = []
        try:
            if not self._is_established:
                self._ssl.do_handshake()
                self._is_established = True
            while chunk := self._ssl.read(_READ_BYTES):
                plain.append(chunk)
        except ssl.SSLWantReadError:
            pass
        return b"".join(plain)

    def encrypt(self, data: bytes) -> bytes:
        """Bytes for the client that carry ``data``."""
        self._ssl.write(data)
        return self._outgoing.read()

    def take_outgoing(self) -> bytes:
        """Bytes of the protocol itself that must go to the client."""
        return self._outgoing.read()

    def end(self) -> bytes:
        """Bytes that tell the client that nothing more comes."""
        with suppress(ssl.SSLError, ValueError):  # the client has not said goodbye yet, which nobody waits for
            self._ssl.unwrap()
        return self._outgoing.read()
