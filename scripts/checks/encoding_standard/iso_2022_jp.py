"""ISO-2022-JP, whose bytes mean what the last escape sequence says."""

from collections.abc import Iterator, Mapping

from scripts.checks.encoding_standard.steps import (
    BROKEN,
    END,
    Index,
    Queue,
    code_at,
    reference,
)

_STATES = {
    (0x28, 0x42): "ascii",
    (0x28, 0x4A): "roman",
    (0x28, 0x49): "katakana",
    (0x24, 0x40): "lead",
    (0x24, 0x42): "lead",
}


def decode_iso_2022_jp(queue: Queue, jis0208: Index) -> Iterator[int]:
    """The code points of a document."""
    state = output_state = "ascii"
    lead, output = 0, False
    while True:
        byte = queue.read()
        match state:
            case "escape start":
                if byte in (0x24, 0x28):
                    lead, state = byte, "escape"
                    continue
                queue.restore(byte)
                output, state = False, output_state
                yield BROKEN
            case "escape":
                new = _STATES.get((lead, byte))
                if new is not None:
                    state = output_state = new
                    if output:
                        yield BROKEN
                    output = True
                    continue
                queue.restore(lead, byte)
                output, state = False, output_state
                yield BROKEN
            case "trail":
                state = "escape start" if byte == 0x1B else "lead"
                code = None
                if 0x21 <= byte <= 0x7E:
                    code = code_at(jis0208, (lead - 0x21) * 94 + byte - 0x21)
                yield BROKEN if code is None else code
            case _:
                if byte == END:
                    return
                if byte == 0x1B:
                    state = "escape start"
                    continue
                output = False
                if state == "lead" and 0x21 <= byte <= 0x7E:
                    lead, state = byte, "trail"
                else:
                    yield _single(state, byte)


def _single(state: str, byte: int) -> int:
    if state == "katakana" and 0x21 <= byte <= 0x5F:
        return 0xFF61 - 0x21 + byte
    if state == "roman" and byte in (0x5C, 0x7E):
        return 0xA5 if byte == 0x5C else 0x203E
    if state in ("ascii", "roman") and byte < 0x80 and byte not in (0x0E, 0x0F):
        return byte
    return BROKEN


def encode_iso_2022_jp(text: str, jis0208_pointers: Mapping[int, int], katakana: Index) -> Iterator[bytes]:
    """The bytes of a text, escape sequences and all; ``katakana`` are the wide forms of those of half width."""
    state = "ascii"
    for code in map(ord, text):
        if state != "jis0208" and code in (0x0E, 0x0F, 0x1B):
            yield reference(BROKEN)
            continue
        if state == "roman" and (code in (0xA5, 0x203E) or (code < 0x80 and code not in (0x5C, 0x7E))):
            yield {0xA5: b"\\", 0x203E: b"~"}.get(code) or bytes([code])
            continue
        if code < 0x80:
            if state != "ascii":
                state = "ascii"
                yield b"\x1b(B"
            yield reference(BROKEN) if code in (0x0E, 0x0F, 0x1B) else bytes([code])
            continue
        if code in (0xA5, 0x203E):
            state = "roman"
            yield b"\x1b(J\\" if code == 0xA5 else b"\x1b(J~"
            continue
        looked_up = 0xFF0D if code == 0x2212 else code
        if 0xFF61 <= code <= 0xFF9F:
            looked_up = katakana[code - 0xFF61] or 0
        pointer = jis0208_pointers.get(looked_up)
        if pointer is None:
            if state == "jis0208":
                state = "ascii"
                yield b"\x1b(B"
            yield reference(code)
            continue
        if state != "jis0208":
            state = "jis0208"
            yield b"\x1b$B"
        yield bytes([pointer // 94 + 0x21, pointer % 94 + 0x21])
    if state != "ascii":
        yield b"\x1b(B"
