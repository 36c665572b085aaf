"""EUC-JP and Shift_JIS."""

from collections.abc import Iterator

from scripts.checks.encoding_standard.steps import (
    Encode,
    Index,
    Indexes,
    Queue,
    code_at,
    code_or_broken,
    first_pointers,
    lead_bytes,
    two_bytes,
)


def decode_euc_jp(queue: Queue, indexes: Indexes) -> Iterator[int]:
    """The code points of a document; after 8F, which may stand before a pair, they are those of JIS X 0212."""
    for lead, byte in lead_bytes(queue, lambda byte: byte in (0x8E, 0x8F) or 0xA1 <= byte <= 0xFE):
        if not lead:
            yield byte
        elif lead == 0x8E and 0xA1 <= byte <= 0xDF:
            yield 0xFF61 - 0xA1 + byte
        elif lead == 0x8F and 0xA1 <= byte <= 0xFE:
            yield from _euc_jp_pair(queue, indexes["jis0212"], byte, queue.read())
        else:
            yield from _euc_jp_pair(queue, indexes["jis0208"], lead, byte)


def _euc_jp_pair(queue: Queue, index: Index, lead: int, byte: int) -> Iterator[int]:
    is_pair = 0xA1 <= lead <= 0xFE and 0xA1 <= byte <= 0xFE
    yield from code_or_broken(queue, code_at(index, (lead - 0xA1) * 94 + byte - 0xA1) if is_pair else None, byte)


def decode_shift_jis(queue: Queue, jis0208: Index) -> Iterator[int]:
    """The code points of a document; some pairs are of the private use area."""
    for lead, byte in lead_bytes(queue, lambda byte: 0x81 <= byte <= 0x9F or 0xE0 <= byte <= 0xFC, 0x80):
        if not lead:
            yield 0xFF61 - 0xA1 + byte if 0xA1 <= byte <= 0xDF else byte
            continue
        code = None
        if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFC:
            pointer = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 188 + byte - (0x40 if byte < 0x7F else 0x41)
            code = 0xE000 - 8836 + pointer if 8836 <= pointer <= 10715 else code_at(jis0208, pointer)
        yield from code_or_broken(queue, code, byte)


def japanese_encoder(jis0208: Index, *, is_euc: bool) -> Encode:
    """What encodes a code point in EUC-JP, or else in Shift_JIS, which leaves out the pointers of NEC's selection."""
    pointers = first_pointers(jis0208, range(0) if is_euc else range(8272, 8836))

    def encode(code: int) -> bytes | None:
        if code == 0x80 and not is_euc:
            return b"\x80"
        if code in (0xA5, 0x203E):
            return b"\\" if code == 0xA5 else b"~"
        if 0xFF61 <= code <= 0xFF9F:
            return (b"\x8e" if is_euc else b"") + bytes([code - 0xFF61 + 0xA1])
        pointer = pointers.get(0xFF0D if code == 0x2212 else code)
        if is_euc or pointer is None:
            return two_bytes(pointer, 94, 0xA1, lambda trail: trail + 0xA1)
        lead = 0x81 if pointer // 188 < 0x1F else 0xC1
        return two_bytes(pointer, 188, lead, lambda trail: trail + (0x40 if trail < 0x3F else 0x41))

    return encode
