"""Serve the hostile web of the tests by hand: one site for each evil, until Ctrl-C.

Prints the options that bring ``cutweb crawl`` there, and at the end what came that should not have come.

    python -m scripts.hostile_web                      serve all evils
    python -m scripts.hostile_web gzip-bomb http09     serve these
    python -m scripts.hostile_web --list               say what there is
    python -m scripts.hostile_web --configuration FILE write the crawl as a configuration file
"""

import argparse
import json
import signal
import threading
from pathlib import Path

from tests.hostile.evil import EVILS
from tests.hostile.evils import load
from tests.hostile.server import HostileWeb


def main() -> None:
    """Serve, or list, what the command line names."""
    load()
    asked = _arguments()
    if asked.list:
        width = max(map(len, EVILS))
        print("\n".join(f"{name:<{width}}  {evil.says}" for name, evil in EVILS.items()))
        return
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    with HostileWeb(asked.evils or None) as web:
        print(f"{len(web.evils)} evils at {web.ports.address}:{web.ports.port}")
        if asked.configuration is not None:
            asked.configuration.write_text(_configuration(web))
            print(f"cutweb crawl --config {asked.configuration} --out DIR")
        else:
            print(f"cutweb crawl --out DIR {' '.join([*web.seeds, *web.options()])}", flush=True)
        over.wait()
        log = web.log
    print(
        f"{len(log.visits)} requests; {len(log.leaks)} told a secret, {len(log.forbidden())} asked for what robots.txt"
    )
    print(f"forbids, {len(log.inside)} came inside")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("evils", nargs="*", metavar="NAME", choices=[*EVILS, []], help="which evils (default: all)")
    parser.add_argument("--list", action="store_true", help="list the evils")
    parser.add_argument("--configuration", type=Path, metavar="FILE", help="write seeds and options to a TOML file")
    return parser.parse_args()


def _configuration(web: HostileWeb) -> str:
    values: dict[str, object] = {
        "urls": web.seeds,
        "connect_to": web.connect_to,
        "ca_cert": str(web.ca_cert),
        "dns_server": [web.dns_server],
        "allow_net": [f"{web.ports.address}/32"],
    }
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


if __name__ == "__main__":
    main()
