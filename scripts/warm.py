"""Compile what is compiled at its first use, once, so that no command has to wait for it.

python -m scripts.warm

The compiled code is kept beside the modules.  Without this the first `cutweb partition` takes some 20 seconds longer,
a first crawl with --simhash or --order budget some three, and a crawl finds links slowly while the scanner of pages is
compiled; and where Python is told to keep no bytecode (PYTHONDONTWRITEBYTECODE), as in many containers, every rank
would compile every module each time it starts, which is a third of its start.

What was compiled before is thrown away: numba sees that a module has changed, but not that one has whose functions it
compiled into that module's.
"""

import compileall
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from crawler.intake.duplicates.simhash import simhash
from crawler.pages.link_finder import LinkFinder
from sessions.url_domain import domain_hashes_of

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("crawler", "partition", "sessions")
PAGES, SITES, LINKS, SEED = 3000, 30, 12000, 1


def main() -> None:
    """Compile the modules anew; hash a text and a domain; load the scanner of pages; and cut a small session.

    The links of that session are invented.
    """
    for package in PACKAGES:
        for compiled in (ROOT / package).rglob("*.nb[ic]"):
            compiled.unlink()
        compileall.compile_dir(ROOT / package, quiet=1)
    simhash(b"<p>a text of some words")
    domain_hashes_of(["http://www.example.com/"])
    LinkFinder().load_compiled()
    chance = random.Random(SEED)
    with tempfile.TemporaryDirectory() as scratch:
        edges, urls, session = (Path(scratch) / name for name in ("edges.txt", "urls.txt", "session"))
        pairs = ((chance.randrange(PAGES), chance.randrange(PAGES)) for _ in range(LINKS))
        edges.write_text("".join(f"{source}\t{target}\n" for source, target in pairs))
        urls.write_text("".join(f"http://s{page % SITES}.example/{page}\n" for page in range(PAGES)))
        _cutweb("import", "edges", str(edges), "--urls", str(urls), "--out", str(session))
        _cutweb("partition", str(session), "--parts", "4", "--out", str(Path(scratch) / "parts"))


def _cutweb(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "crawler", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


if __name__ == "__main__":
    main()
