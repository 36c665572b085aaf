"""SHA-1 digests in base 32, as WARC labels them."""

from collections.abc import Iterator

_BASE32 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".ljust(256)
_SHA1_BITS, _BASE32_BITS = 160, 5


def sha1_label(digest: bytes) -> bytes:
    """A SHA-1 as WARC writes it: ``sha1:`` and base 32, of which base64.b32encode makes a digit at a time.

    Here the digits move apart together, in halves of halves, until each has a byte of its own.
    """
    number = int.from_bytes(digest)
    for shift, low_halves, high_halves in _HALVINGS:
        number = number & low_halves | number << shift & high_halves
    return b"sha1:" + number.to_bytes(_SHA1_BITS // _BASE32_BITS).translate(_BASE32)


def _halvings() -> Iterator[tuple[int, int, int]]:
    """By how much the high halves move at each step, and where the low ones stand then, and the high ones."""
    bits, room = _SHA1_BITS, _SHA1_BITS // _BASE32_BITS * 8
    while bits > _BASE32_BITS:
        half = (1 << bits // 2) - 1
        low = sum(half << place for place in range(0, _SHA1_BITS // _BASE32_BITS * 8, room))
        yield room // 2 - bits // 2, low, low << room // 2
        bits, room = bits // 2, room // 2


_HALVINGS = tuple(_halvings())
