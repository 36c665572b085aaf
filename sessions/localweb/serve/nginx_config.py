"""The nginx configuration of an exported web.

One map leads from host and request URI to a file.  A map compares without regard to case, so URLs that differ only in
that go into it as regular expressions; a request that differs from a page's URL only in case is taken for it.
A status other than 200 is had by an error page: the only way by which nginx sends a file with any status.
"""

import os
import pwd
import re
import resource
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

_PREFIX = "/cutweb-export"  # no page of an exported web should begin so
_MOST_DESCRIPTORS = 200_000
_MOST_CONNECTIONS = 8192
_SPARE_DESCRIPTORS = 64
_CONFIG = """\
# Written by `cutweb web export`.
{user}worker_processes 1;
worker_rlimit_nofile {descriptors};
pcre_jit on;
pid "{root}/nginx.pid";
error_log "{root}/error.log" error;

events {{
    worker_connections {connections};
    multi_accept on;
}}

http {{
    access_log off;
    client_body_temp_path "{root}/tmp/body";
    proxy_temp_path "{root}/tmp/proxy";
    fastcgi_temp_path "{root}/tmp/fastcgi";
    uwsgi_temp_path "{root}/tmp/uwsgi";
    scgi_temp_path "{root}/tmp/scgi";

    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    keepalive_timeout 300s;
    reset_timedout_connection on;
    open_file_cache max={open_files} inactive=1h;
    open_file_cache_valid 1h;
    etag off;
    if_modified_since off;
    max_ranges 0;
    server_tokens off;
    map_hash_max_size {map_size};
    map_hash_bucket_size {bucket};
    types_hash_max_size 4096;
    default_type "";
    types {{
{types}    }}
    geo $cutweb_dollar {{
        default "$";
    }}
    map $http_host $cutweb_host {{
        default $http_host;
        "~^(?<cutweb_name>.+):(?:80|443|{ports})$" $cutweb_name;
    }}
    map $scheme $cutweb_scheme {{
        default "";
        https "https://";
    }}
    map $cutweb_scheme$cutweb_host$request_uri $cutweb_file {{
        default unknown;
{files}    }}
    map $cutweb_file $cutweb_location {{
        default "";
{redirects}    }}

    server {{
{listens}{tls}        root "{root}";
        location / {{
            rewrite ^ {prefix}/$cutweb_file last;
        }}
        location {prefix}/ {{
            internal;
            return 404;
        }}
{answers}    }}
}}
"""
_TLS = """\
        ssl_certificate "{root}/tls/$ssl_server_name.pem";
        ssl_certificate_key "{root}/tls/$ssl_server_name.pem";
"""
_OK = """\
        location {prefix}/{folder}/ {{
            internal;
            alias "{root}/{folder}/";
{headers}        }}
"""
_OTHER = """\
        location {prefix}/{folder}/ {{
            internal;
            error_page 418 ={status} {prefix}/body$uri;
            return 418;
        }}
        location {prefix}/body{prefix}/{folder}/ {{
            internal;
            alias "{root}/{folder}/";
{headers}        }}
"""


@dataclass
class Site:
    """What nginx has to know.

    ``files`` maps a URL, of http without its scheme, to a file, ``locations`` a file to its Location
    header; ``answers`` maps (status, content encoding) to a folder of files, ``types`` a content type to a suffix.
    """

    files: dict[str, str] = field(default_factory=dict)
    locations: dict[str, str] = field(default_factory=dict)
    answers: dict[tuple[int, str], str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)


def write_config(root: Path, port: int, site: Site, addresses: Sequence[str], tls_port: int | None = None) -> str:
    """The configuration for files under the folder ``root``, to be served at a port of some addresses.

    https is served at ``tls_port``, by HTTP/1.1 and HTTP/2, with the certificates in the folder ``tls``.
    """
    descriptors, connections = _limits()
    place = _quoted(str(root))[1:-1]
    longest = max(map(len, site.files), default=0)
    return _CONFIG.format(
        user=_user_line(),
        descriptors=descriptors,
        connections=connections,
        open_files=max(1, min(len(site.files), descriptors - connections - _SPARE_DESCRIPTORS)),
        root=place,
        ports=port if tls_port is None else f"{port}|{tls_port}",
        listens="".join(_listen_lines(address, port, tls_port) for address in addresses),
        tls=_TLS.format(root=place) if tls_port is not None else "",
        prefix=_PREFIX,
        map_size=max(20_000, 4 * len(site.files)),
        bucket=max(1024, (longest + 128) // 64 * 64),
        types="".join(f"        {_quoted(kind)} {suffix};\n" for kind, suffix in site.types.items() if kind),
        files=_file_lines(site.files),
        redirects="".join(f"        {file} {_value(location)};\n" for file, location in site.locations.items()),
        answers="".join(_answer(place, *answer, folder) for answer, folder in site.answers.items()),
    )


def _listen_lines(address: str, port: int, tls_port: int | None) -> str:
    plain = f"        listen {address}:{port} default_server backlog=4096;\n"
    if tls_port is None:
        return plain
    return f"{plain}        listen {address}:{tls_port} ssl http2 default_server backlog=4096;\n"


def _file_lines(files: dict[str, str]) -> str:
    spellings = Counter(key.lower() for key in files)
    lines: list[str] = []
    for key, file in files.items():
        pattern = key if spellings[key.lower()] == 1 else _exact_pattern(key)
        lines.append(f"        {_quoted(pattern)} {file};\n")
    return "".join(lines)


def _exact_pattern(key: str) -> str:
    """A regular expression for a map that minds the case of all but the host."""
    scheme = "https://" if key.startswith("https://") else ""
    host, slash, rest = key.removeprefix(scheme).partition("/")
    return f"~^{scheme}(?i:{re.escape(host)}){re.escape(slash + rest)}$"


def _answer(place: str, status: int, encoding: str, folder: str) -> str:
    headers = {"Content-Encoding": _value(encoding), "Location": "$cutweb_location", "Last-Modified": '""'}
    lines = "".join(f"            add_header {name} {value} always;\n" for name, value in headers.items())
    template = _OK if status == 200 else _OTHER
    return template.format(prefix=_PREFIX, folder=folder, status=status, root=place, headers=lines)


def _limits() -> tuple[int, int]:
    """File descriptors and connections for nginx.  It runs out of the former silently, so it gets all there are."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    descriptors = _MOST_DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _MOST_DESCRIPTORS)
    return descriptors, max(64, min(_MOST_CONNECTIONS, descriptors // 3))


def _user_line() -> str:
    """Started by root, nginx would serve as nobody, who may not read the files."""
    return f"user {pwd.getpwuid(os.geteuid()).pw_name};\n" if os.geteuid() == 0 else ""


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _value(text: str) -> str:
    """A string where nginx would put in the value of variables."""
    return _quoted(text.replace("$", "${cutweb_dollar}"))
