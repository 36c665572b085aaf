"""Whether there is a port to serve metrics at, found out before a crawl writes anything."""

import socket

from crawler.config.command_line import UsageError

LOOPBACK = "127.0.0.1"


def check_metrics_port(port: int | None, host: str = LOOPBACK) -> None:
    """Raise UsageError if a ``port`` is wanted and nobody can listen there at ``host``, of this machine."""
    if not port:
        return
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        with socket.socket(family, kind) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
            trial.bind(place)
            trial.listen()
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"--metrics-port {port}: rank 0 cannot listen there, at {host} ({reason}); name another port, or another "
            "address with --metrics-host"
        ) from error
