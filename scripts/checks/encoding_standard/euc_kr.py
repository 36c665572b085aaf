"""EUC-KR."""

from collections.abc import Iterator

from scripts.checks.encoding_standard.steps import (
    Encode,
    Index,
    Queue,
    code_at,
    code_or_broken,
    first_pointers,
    lead_bytes,
    two_bytes,
)


def decode_euc_kr(queue: Queue, index: Index) -> Iterator[int]:
    """The code points of a document."""
    for lead, byte in lead_bytes(queue, lambda byte: 0x81 <= byte <= 0xFE):
        if not lead:
            yield byte
        else:
            is_pair = 0x41 <= byte <= 0xFE
            code = code_at(index, (lead - 0x81) * 190 + byte - 0x41) if is_pair else None
            yield from code_or_broken(queue, code, byte)


def euc_kr_encoder(index: Index) -> Encode:
    """What encodes a code point."""
    pointers = first_pointers(index)
    return lambda code: two_bytes(pointers.get(code), 190, 0x81, lambda trail: trail + 0x41)
