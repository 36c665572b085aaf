"""WARC files as folders for nginx, for benchmarks that need a server other than ours.

Each page's stored body becomes a file named by its URL's hash, in a folder that says how it is answered (status and
content encoding), with a suffix that says its content type.  What nginx cannot do from files is left out: delays, and
headers other than content type, content encoding and location.
"""

import errno
import os
import re
import secrets
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sessions.localweb.serve.nginx_config import Site, write_config
from sessions.localweb.serve.response import Response, read_response
from sessions.storage.temporary_folder import passing
from sessions.storage.warc_index import Index, build_index
from sessions.url import url_hash

_CONFIG = "nginx.conf"
_LONGEST_URL = 3000  # nginx reads its configuration through a buffer of 4 kB
_REFUSED = re.compile(r"%(?![0-9A-Fa-f]{2})|%00|\.\.|/%2[eE]")  # in a path; nginx answers 400 or moves it elsewhere


@dataclass(frozen=True)
class Exported:
    """What was written.

    ``pages`` are served, ``delayed`` of them without the delay they should have; ``left_out`` maps a reason to the
    number of pages that are not served.
    """

    config: Path
    address: str
    pages: int
    delayed: int
    left_out: dict[str, int]
    warnings: list[str]

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
    http_for_https: bool = False,
    addresses: Sequence[str] = ("127.0.0.1",),
) -> Exported:
    """Write the pages of WARC files, and a configuration with which nginx serves them, to a new folder.

    They are served at ``port`` of each of the ``addresses``.
    https pages are left out, or with ``http_for_https`` served as http, unless that URL exists as well.
    The folder is there whole or not at all.  Raises FileExistsError if ``out`` exists, and what `build_index` raises.
    """
    index = build_index(paths)
    root = out.resolve()
    if os.path.lexists(out):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(out))
    partial = root.with_name(f".{root.name}.{secrets.token_hex(4)}.partial")
    with passing(partial):
        partial.mkdir()
        (partial / "tmp").mkdir()
        folders = _Folders(partial, http_for_https)
        folders.add_all(index)
        (partial / _CONFIG).write_text(write_config(root, port, folders.site, addresses))
        partial.rename(root)  # not synced: a server to measure with is soon made again
    return Exported(
        root / _CONFIG,
        f"{addresses[0]}:{port}",
        len(folders.site.files),
        folders.delayed,
        folders.left_out,
        index.warnings,
    )


@dataclass
class _Folders:
    """The exported files, as they come to be."""

    root: Path
    http_for_https: bool
    site: Site = field(default_factory=Site)
    left_out: dict[str, int] = field(default_factory=dict)
    delayed: int = 0

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
        if url.startswith("https:"):
            if not self.http_for_https:
                return "https (see --http-for-https)"
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
        site.files[url.partition("://")[2]] = file
        if location := response.header(b"location"):
            site.locations[file] = location.decode("latin-1")
        self.delayed += response.delay > 0
