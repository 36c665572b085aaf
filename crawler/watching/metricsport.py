"""Whether there is a port to serve metrics at, found out before a crawl writes anything."""

import socket

from crawler.configuration import UsageError


def check_metrics_port(port: int | None) -> None:
    """Raise UsageError if a ``port`` is wanted and nobody can listen there on this machine."""
    if not port:
        return
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server does
        try:
            trial.bind(("", port))
            trial.listen()
        except OSError as error:
            raise UsageError(
                f"--metrics-port {port}: rank 0 cannot listen there ({error.strerror}); name another port"
            ) from error
