"""The bytes that known URLs take between ranks when they travel as numbers."""

import numpy as np

from partition.graphs.link_graph import Numbers
from partition.map.url_numbers import encode_numbers
from partition.measures.traffic import Sends


def numbered_bytes(sends: Sends, numbers: Numbers, k: int) -> int:
    """The sum of what `encode_numbers` makes of each (sender, receiver)'s URLs, in one piece and in ascending order.

    ``numbers``, int64[t], is the number of each target in the URL table of the partition map.  What a batch carries
    besides (checksums, depths, flags) is not counted.
    """
    pairs = sends.senders * k + sends.receivers
    count = int(numbers.max(initial=0)) + 1
    keys = np.sort(pairs * count + numbers[sends.targets])
    pairs, in_order = np.divmod(keys, count)
    starts = np.flatnonzero(np.diff(pairs, prepend=-1))
    return sum(len(encode_numbers(batch)) for batch in np.split(in_order, starts[1:]) if len(batch))
