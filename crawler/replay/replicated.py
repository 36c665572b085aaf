"""The URLs that all ranks may know from the start: the most linked ones (Cho and Garcia-Molina 2002, section 3.2)."""

import numpy as np

from crawler.replay.recording import Numbers, Recording


def most_linked(recording: Recording, count: int) -> Numbers:
    """The ``count`` URLs with most links that are followed, int64; of as many, those that the recording has first.

    In the order of the recording; fewer if fewer are linked to.
    """
    links = np.bincount(recording.targets[recording.is_followed], minlength=len(recording))
    order = np.argsort(-links, kind="stable")[:count]
    return np.sort(order[links[order] > 0])
