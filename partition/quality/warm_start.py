"""What a trial's process needs before it can begin: imported by the fork server, so that no trial waits for it.

The compiled functions of a cut are loaded at their first call, which takes longer than to cut a small session.  A web
of a few pages is cut here once, so that all processes that are forked later have them.
"""

import numpy as np
import pyarrow as pa
from scipy.sparse import csr_array

from partition.graphs.link_graph import LinkGraph
from partition.models.partition_pages import partition_pages
from partition.models.settings import Settings

_PAGES, _SITES, _PARTS = 64, 8, 2


def _small_web() -> LinkGraph:
    """Pages of some sites in rings, each linked to the next two and to one far away."""
    pages = np.arange(_PAGES)
    sites = pages * _SITES // _PAGES
    names = [f"site-{number}.invalid" for number in range(_SITES)]
    urls = [f"http://{names[site]}/{page}" for page, site in enumerate(sites.tolist())]
    targets = np.concatenate([(pages + step) % _PAGES for step in (1, 2, 19)])
    costs = np.array([len(url) for url in urls], np.int64)[targets]
    return LinkGraph(
        pa.array(urls, pa.large_string()),
        pages.astype(np.uint64),
        np.full(_PAGES, 100),
        sites,
        names,
        csr_array((costs, (np.tile(pages, 3), targets)), (_PAGES, _PAGES)),
        pa.array([], pa.large_string()),
        np.zeros(0, np.uint64),
        csr_array((_PAGES, 0), dtype=np.int64),
    )


for _model in ("page", "prefix"):
    partition_pages(_small_web(), _model, _PARTS, Settings(threads=1))
