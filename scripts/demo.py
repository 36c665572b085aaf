"""A small web, four ranks, one session: what `make demo` shows.

python scripts/demo.py [--out FOLDER]
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from sessions.localweb.make import make_web
from sessions.localweb.serve import LocalWeb

SITES, PAGES, SEED, RANKS = 40, 5000, 1, 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the web and the session")
    out = parser.parse_args().out
    if out.exists() and not (out / "demo.warc.gz").exists():
        sys.exit(f"{out}: exists and is no earlier demo; name another folder with --out")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    print(f"Inventing a web of {PAGES:,} pages on {SITES} sites ...", flush=True)
    made = make_web(out / "demo.warc.gz", sites=SITES, pages=PAGES, seed=SEED)
    seeds = out / "seeds.txt"
    seeds.write_text("".join(f"{url}\n" for url in made.seeds))
    with LocalWeb([out / "demo.warc.gz"], keep_log=False) as web:
        crawl = ["crawl", "--ranks", str(RANKS), "--seeds", str(seeds), "--out", str(out / "session")]
        crawl += ["--delay", "0", "--server-delay", "0", "--superstep", "0.5"]
        code = _cutweb(*crawl, "--connect-to", web.connect_to, "--ca-cert", str(web.ca_cert))
    if code:
        sys.exit(code)
    _cutweb("info", str(out / "session"))
    code = _cutweb("check", str(out / "session"))
    print(f"\nThe session is in {out / 'session'}; read its tables with anything that reads Parquet (docs/formats.md).")
    sys.exit(code)


def _cutweb(*arguments: str) -> int:
    print(f"\n$ cutweb {' '.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, "-m", "crawler", *arguments], check=False).returncode


if __name__ == "__main__":
    main()
