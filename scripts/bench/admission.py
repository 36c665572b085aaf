"""What it costs to ask the rules of a crawl about URLs, with and without those against traps.

    python -m scripts.bench.admission FILE

FILE has one URL a line, in the order in which a crawl finds them; a made web's own are too uniform.  Printed are
microseconds of processor time a URL, the best of several rounds, and how many URLs the rules refuse.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np

from crawler.config.crawl_options import CrawlOptions
from crawler.config.settings import settings_from
from crawler.discovery.admission import ADMITTED, AdmissionSettings, UrlRules
from sessions.url import canonical, url_hashes

_BATCH = 200
_ROUNDS = 5
_YEAR = 2026


def main(path: Path) -> None:
    """Print a line for each set of rules."""
    urls = [url for line in path.read_text().splitlines() if (url := canonical(line.split("\t")[0])) is not None]
    batches = [urls[first : first + _BATCH] for first in range(0, len(urls), _BATCH)]
    hashes = [url_hashes(batch) for batch in batches]
    for name, has_traps in (("--no-traps", False), ("--traps", True)):
        seconds, refused = [], 0
        for _ in range(_ROUNDS):
            rules = UrlRules(settings_from(CrawlOptions(traps=has_traps), AdmissionSettings), (), _YEAR)
            began = process_time()
            codes = [rules.codes(*batch) for batch in zip(hashes, batches, strict=True)]
            seconds.append(process_time() - began)
            refused = int((np.concatenate(codes) != ADMITTED).sum())
        print(f"{name:<12}{1e6 * min(seconds) / len(urls):.2f} us a URL, {refused:,} of {len(urls):,} refused")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urls", type=Path, metavar="FILE")
    main(parser.parse_args().urls)
