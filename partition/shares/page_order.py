"""The order of pages in which those that link to each other are near: by reversed host, then path.

Most links lead to pages of the same site, and there to a directory near by, so ranks that have a stretch of this order
each share few links.  Pages without URLs go by their numbers, for who numbers pages does it in the order of URLs (Boldi
and Vigna, "The WebGraph framework I", WWW 2004, section 2.1).
"""

from bisect import bisect_left

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from partition.assignment.url_prefixes import site_of_key, url_keys
from partition.communication.ranks import Ranks
from partition.graphs.link_graph import PLACEHOLDER_HOST, Numbers

_SAMPLES_PER_RANK = 512
_DIGITS = 20
_STAND_IN = f"http://{PLACEHOLDER_HOST}/"


def are_stand_ins(urls: pa.Array) -> bool:
    """Do all of these URLs stand for pages that have none?"""
    return bool(pc.all(pc.starts_with(urls, _STAND_IN), min_count=0).as_py())


def order_keys(urls: pa.Array, *, has_urls: bool) -> pa.Array:
    """What URLs (`pa.large_string`) are sorted by: texts, by their bytes."""
    if not has_urls:
        return pc.utf8_lpad(pc.utf8_slice_codeunits(urls, len(_STAND_IN)), _DIGITS, "0")
    return pa.array([_reversed_host_first(key) for key in url_keys(urls.to_pylist())], pa.large_string())


def _reversed_host_first(key: str) -> str:
    host, _, path = key.partition("/")
    return f"{_reversed_host(host)} /{path}"


def _reversed_host(host: str) -> str:
    return " ".join(host.split(".")[::-1])


def site_keys(urls: pa.Array) -> pa.Array:
    """What sites of URLs (`pa.large_string`) are sorted by where none of them may lie in two stretches."""
    return pa.array([_reversed_host(site_of_key(key)) for key in url_keys(urls.to_pylist())], pa.large_string())


def stretches(ranks: Ranks, keys: pa.Array, weights: Numbers) -> npt.NDArray[np.int64]:
    """The rank in whose stretch of the order each of this rank's keys lies, int64[n]; stretches weigh about as much.

    ``weights``, int64[n], are positive.  Splitters are chosen from samples of all ranks' keys, as in sample sort
    (Frazer and McKellar, "Samplesort", JACM 1970).  Equal keys lie in one stretch.
    """
    order = pc.sort_indices(keys).to_numpy()
    step = max(1, ranks.total(int(weights.sum())) // (_SAMPLES_PER_RANK * ranks.size))
    sums = np.cumsum(weights[order])
    sampled = order[np.searchsorted(sums, np.arange(step // 2, sums[-1] if len(sums) else 0, step), side="right")]
    samples = ranks.gathered_texts(keys.take(pa.array(sampled))).to_pylist()
    samples.sort(key=str.encode)
    splitters = [samples[len(samples) * rank // ranks.size] for rank in range(1, ranks.size)] if samples else []
    owners = np.zeros(len(keys), np.int64)
    for splitter in splitters:
        owners[order[_first_from(keys, order, splitter) :]] += 1
    return owners


def _first_from(keys: pa.Array, order: Numbers, splitter: str) -> int:
    """The first place in the order from which keys are not below the splitter."""
    return bisect_left(range(len(order)), splitter.encode(), key=lambda place: keys[int(order[place])].as_py().encode())
