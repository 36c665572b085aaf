"""Texts of URLs as bytes one after the other, and the keys in them, so that compiled loops can read them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sessions.compiled import compiled

Bytes = npt.NDArray[np.uint8]
Bounds = npt.NDArray[np.int64]

_SLASH, _AT, _S = ord("/"), ord("@"), ord("s")


def text_and_bounds(texts: Sequence[str] | pa.Array) -> tuple[Bytes, Bounds]:
    """The UTF-8 of n texts one after the other, uint8[...], and where each begins and the last ends: int64[n + 1]."""
    if isinstance(texts, pa.Array):
        return _text_and_bounds_of_array(texts.cast(pa.large_string()))
    joined = "".join(texts)
    if joined.isascii():
        text, lengths = joined.encode(), map(len, texts)
    else:
        encoded = [one.encode() for one in texts]
        text, lengths = b"".join(encoded), map(len, encoded)
    bounds = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(lengths, np.int64, len(texts)), out=bounds[1:])
    return np.frombuffer(text, np.uint8), bounds


def keys_of(urls: pa.Array) -> pa.Array:
    """The key of each URL: large_string[n] for large_string[n]."""
    text, bounds = text_and_bounds(urls)
    content, key_bounds = _keys(text, bounds)
    return pa.LargeStringArray.from_buffers(len(urls), pa.py_buffer(key_bounds), pa.py_buffer(content))


def _text_and_bounds_of_array(texts: pa.Array) -> tuple[Bytes, Bounds]:
    if not len(texts):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    text = np.frombuffer(content, np.uint8) if content is not None else np.empty(0, np.uint8)
    return text, bounds


@compiled
def key_start(text: Bytes, start: int, end: int) -> tuple[int, int]:
    """Where the key of a URL begins, and where its site ends: at the first slash after the scheme's two."""
    key = min(start + 7 + (end - start > 4 and text[start + 4] == _S), end)
    place = key
    while place < end and text[place] != _SLASH:
        if text[place] == _AT:
            key = place + 1
        place += 1
    return key, place


@compiled
def _keys(text: Bytes, bounds: Bounds) -> tuple[Bytes, Bounds]:
    count = len(bounds) - 1
    content = np.empty(bounds[count] - bounds[0], np.uint8)
    key_bounds = np.zeros(count + 1, np.int64)
    for url in range(count):
        start, _ = key_start(text, bounds[url], bounds[url + 1])
        length = bounds[url + 1] - start
        begin = key_bounds[url]
        for place in range(length):
            content[begin + place] = text[start + place]
        key_bounds[url + 1] = begin + length
    return content[: key_bounds[count]].copy(), key_bounds
