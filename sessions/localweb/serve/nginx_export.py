"""WARC files as folders for nginx, for benchmarks that need a server other than ours.

Each page's stored body becomes a file named by its URL's hash, in a folder that says how it is answered (status and
content encoding), with a suffix that says its content type.  What nginx cannot do from files is left out: delays, and
headers other than content type, content encoding and location.  https has a port of its own, and a certificate for each
host, signed by a throw-away authority.
"""

import errno
import os
import re
import secrets
import shlex
import shutil
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from sessions.localweb.serve.nginx_config import Site, write_config
from sessions.localweb.serve.response import Response, read_response
from sessions.localweb.serve.tls import Authority
from sessions.storage.temporary_folder import passing
from sessions.storage.warc_index import Index, build_index
from sessions.url import host_of, site_of, url_hash

_CONFIG = "nginx.conf"
_CERTIFICATES = "tls"
_AUTHORITY = "authority.pem"
_HTTPS = "https:"
_LONGEST_URL = 3000  # nginx reads its configuration through a buffer of 4 kB
_REFUSED = re.compile(r"%(?![0-9A-Fa-f]{2})|%00|\.\.|/%2[eE]")  # in a path; nginx answers 400 or moves it elsewhere


@dataclass(frozen=True)
class Exported:
    """What was written.

    ``pages`` are served, ``delayed`` of them without the delay they should have; ``left_out`` maps a reason to the
    number of pages that are not served.  https is served at ``tls_address``, if at all, by certificates that
    ``ca_cert`` makes trustworthy.
    """

    config: Path
    address: str
    pages: int
    delayed: int
    left_out: dict[str, int]
    warnings: list[str]
    tls_address: str | None = None

    @property
    def ca_cert(self) -> Path:
        """The certificate of the authority that has signed those of the hosts."""
        return self.config.parent / _CERTIFICATES / _AUTHORITY

    @property
    def crawl_options(self) -> list[str]:
        """What tells a crawl to go there."""
        if self.tls_address is None:
            return ["--connect-to", f"::{self.address}"]
        places = ["--connect-to", f":80:{self.address}", "--connect-to", f":443:{self.tls_address}"]
        return [*places, "--ca-cert", str(self.ca_cert)]

    @property
    def start_command(self) -> str:
        """The shell command that starts nginx in the background."""
        folder = self.config.parent
        return shlex.join(["nginx", "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(self.config)])

    @property
    def stop_command(self) -> str:
        """The shell command that stops it."""
        return f"{self.start_command} -s stop"


def export_web(
    paths: Iterable[Path],
    out: Path,
    *,
    port: int,
    tls_port: int | None = None,
    http_for_https: bool = False,
    addresses: Sequence[str] = ("127.0.0.1",),
) -> Exported:
    """Write the pages of WARC files, and a configuration with which nginx serves them, to a new folder.

    They are served at ``port`` of each of the ``addresses``.
    https pages are served at ``tls_port``; without one they are left out, or with ``http_for_https`` served as http,
    unless that URL exists as well.
    The folder is there whole or not at all.  Raises FileExistsError if ``out`` exists, ValueError for one port for
    both, and what `build_index` raises.
    """
    if port == tls_port:
        raise ValueError(f"{port} cannot be the port of both http and https")
    index = build_index(paths)
    root = out.resolve()
    if os.path.lexists(out):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(out))
    partial = root.with_name(f".{root.name}.{secrets.token_hex(4)}.partial")
    with passing(partial):
        partial.mkdir()
        (partial / "tmp").mkdir()
        folders = _Folders(partial, http_for_https, tls_port is not None)
        folders.add_all(index)
        if tls_port is not None:
            _certify(folders.hosts, partial / _CERTIFICATES)
        (partial / _CONFIG).write_text(write_config(root, port, folders.site, addresses, tls_port))
        partial.rename(root)  # not synced: a server to measure with is soon made again
    return Exported(
        root / _CONFIG,
        f"{addresses[0]}:{port}",
        len(folders.site.files),
        folders.delayed,
        folders.left_out,
        index.warnings,
        f"{addresses[0]}:{tls_port}" if tls_port is not None else None,
    )


def _certify(hosts: Iterable[str], folder: Path) -> None:
    """Write a certificate for each host, and that of the authority that has signed them."""
    folder.mkdir()
    with closing(Authority()) as authority:
        for host in hosts:
            authority.write(host, folder / f"{host}.pem")
        shutil.copyfile(authority.certificate, folder / _AUTHORITY)


@dataclass
class _Folders:
    """The exported files, as they come to be."""

    root: Path
    http_for_https: bool
    has_tls: bool
    site: Site = field(default_factory=Site)
    left_out: dict[str, int] = field(default_factory=dict)
    delayed: int = 0

    @property
    def hosts(self) -> set[str]:
        """The hosts of the pages of https."""
        return {host_of(site_of(url)) for url in self.site.files if url.startswith(_HTTPS)}

    def add_all(self, index: Index) -> None:
        for url, entry in index.answers().items():
            reason = self._reason_against(url, index)
            if reason is None:
                try:
                    self._add(url, read_response(entry))
                    continue
                except ValueError:
                    reason = "record is no HTTP response"
            self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def _reason_against(self, url: str, index: Index) -> str | None:
        if url.startswith(_HTTPS) and not self.has_tls:
            if not self.http_for_https:
                return "https (see --tls-port and --http-for-https)"
            if "http" + url[len("https") :] in index.answers():
                return "https, and there as http too"
        if len(url) > _LONGEST_URL or _REFUSED.search(url.partition("?")[0]):
            return "URL that nginx does not take"
        return None

    def _add(self, url: str, response: Response) -> None:
        site = self.site
        answer = (response.status, response.header(b"content-encoding").decode("latin-1"))
        folder = site.answers.setdefault(answer, f"a{len(site.answers)}")
        kind = response.header(b"content-type").decode("latin-1")
        suffix = site.types.setdefault(kind, f"t{len(site.types)}")
        name = f"{url_hash(url):016x}"
        file = f"{folder}/{name[:2]}/{name}.{suffix}"
        (self.root / file).parent.mkdir(parents=True, exist_ok=True)
        (self.root / file).write_bytes(response.body)
        is_secure = self.has_tls and url.startswith(_HTTPS)
        site.files[url if is_secure else url.partition("://")[2]] = file
        if location := response.header(b"location"):
            site.locations[file] = location.decode("latin-1")
        self.delayed += response.delay > 0
