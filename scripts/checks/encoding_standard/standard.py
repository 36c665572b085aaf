"""The decoders and encoders of the WHATWG Encoding standard, step by step, over its published tables.

They are slow, and for comparison only.  A table ("index") maps a pointer to a code point, or to None.
"""

import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence

Index = Sequence[int | None]
Decode = Callable[[bytes], str]
Encode = Callable[[int], bytes | None]
"""Bytes of a code point beyond ASCII; None if the encoding has none."""

BROKEN = 0xFFFD
_END = -1
_BIG5_PAIRS = {1133: (0xCA, 0x304), 1135: (0xCA, 0x30C), 1164: (0xEA, 0x304), 1166: (0xEA, 0x30C)}
_BIG5_LAST = {0x2550, 0x255E, 0x2561, 0x256A, 0x5341, 0x5345}
_GB18030_OF_2005 = {
    **{0xE78D + n: 0xA6D9 + n for n in range(7)},
    **{0xE794: 0xA6EC, 0xE795: 0xA6ED, 0xE796: 0xA6F3, 0xE81E: 0xFE59, 0xE826: 0xFE61, 0xE82B: 0xFE66},
    **{0xE82C: 0xFE67, 0xE832: 0xFE6D, 0xE843: 0xFE7E, 0xE854: 0xFE90, 0xE864: 0xFEA0},
}


class Queue:
    """Bytes to be decoded; what was read can be put back."""

    def __init__(self, content: bytes) -> None:
        self._rest = bytearray(reversed(content))

    def read(self) -> int:
        """The next byte, or the end."""
        return self._rest.pop() if self._rest else _END

    def restore(self, *content: int) -> None:
        """Put bytes back, the first of which is read first; the end needs not be put back."""
        self._rest.extend(byte for byte in reversed(content) if byte != _END)


def _at(index: Index, pointer: int) -> int | None:
    return index[pointer] if 0 <= pointer < len(index) else None


def _pointers(index: Index, left_out: range = range(0)) -> dict[int, int]:
    """The first pointer of each code point."""
    pointers: dict[int, int] = {}
    for pointer, code in enumerate(index):
        if code is not None and pointer not in left_out:
            pointers.setdefault(code, pointer)
    return pointers


def _decoder(steps: Callable[[Queue], Iterator[int]]) -> Decode:
    return lambda content: "".join(map(chr, steps(Queue(content))))


class Standard:
    """Decoders and encoders over the standard's tables."""

    def __init__(self, indexes: Mapping[str, Index], ranges: Sequence[tuple[int, int]]) -> None:
        self._indexes = indexes
        self._range_pointers = [pointer for pointer, _ in ranges]
        self._range_codes = [code for _, code in ranges]
        self._encoders: dict[str, Encode] = {}
        self._jis0208_pointers = _pointers(indexes["jis0208"])

    def decoder(self, encoding: str) -> Decode:
        """What decodes a whole document."""
        steps = {
            "gbk": self._decode_gb18030,
            "gb18030": self._decode_gb18030,
            "big5": self._decode_big5,
            "euc-jp": self._decode_euc_jp,
            "iso-2022-jp": self._decode_iso_2022_jp,
            "shift_jis": self._decode_shift_jis,
            "euc-kr": self._decode_euc_kr,
            "utf-8": _decode_utf_8,
            "replacement": _decode_replacement,
        }.get(encoding)
        if steps is not None:
            return _decoder(steps)
        if encoding.startswith("utf-16"):
            return _decoder(lambda queue: _decode_utf_16(queue, encoding == "utf-16be"))
        if encoding == "x-user-defined":
            upper: Index = range(0xF780, 0xF800)
        else:
            upper = self._indexes[encoding.removesuffix("-i")]
        table = [chr(BROKEN if code is None else code) for code in (*range(0x80), *upper)]
        return lambda content: "".join([table[byte] for byte in content])

    def encoder(self, encoding: str) -> Encode:
        """What encodes a code point beyond ASCII; not for ISO-2022-JP, which has states."""
        match encoding:
            case "gbk" | "gb18030":
                return self._gb18030_encoder(encoding == "gbk")
            case "big5":
                return self._big5_encoder()
            case "euc-jp" | "shift_jis":
                return self._japanese_encoder(encoding)
            case "euc-kr":
                pointers = _pointers(self._indexes["euc-kr"])
                return lambda code: _two(pointers.get(code), 190, 0x81, lambda trail: trail + 0x41)
            case "utf-8" | "utf-16le" | "utf-16be" | "replacement":
                return lambda code: chr(code).encode()
            case "x-user-defined":
                return lambda code: bytes([code - 0xF700]) if 0xF780 <= code < 0xF800 else None
        singles = {
            code: bytes([0x80 + at]) for code, at in _pointers(self._indexes[encoding.removesuffix("-i")]).items()
        }
        return singles.get

    def encoded(self, text: str, encoding: str) -> bytes:
        """Percent-encode after encoding (URL standard), as of a query; but only ``&#N;`` is percent-encoded yet."""
        if encoding == "iso-2022-jp":
            return b"".join(self._encode_iso_2022_jp(text))
        encode = self._encoders.get(encoding) or self._encoders.setdefault(encoding, self.encoder(encoding))
        return b"".join(
            bytes([ord(one)]) if one.isascii() else _reference(ord(one)) if (it := encode(ord(one))) is None else it
            for one in text
        )

    def _decode_gb18030(self, queue: Queue) -> Iterator[int]:
        index = self._indexes["gb18030"]
        first = second = third = 0
        while True:
            byte = queue.read()
            if byte == _END:
                if first or second or third:
                    yield BROKEN
                return
            if third:
                if 0x30 <= byte <= 0x39:
                    pointer = ((first - 0x81) * 10 + second - 0x30) * 1260 + (third - 0x81) * 10 + byte - 0x30
                    code = self._ranges_code(pointer)
                    yield BROKEN if code is None else code
                else:
                    queue.restore(second, third, byte)
                    yield BROKEN
                first = second = third = 0
            elif second:
                if 0x81 <= byte <= 0xFE:
                    third = byte
                    continue
                queue.restore(second, byte)
                first = second = 0
                yield BROKEN
            elif first:
                if 0x30 <= byte <= 0x39:
                    second = byte
                    continue
                lead, first = first, 0
                code = None
                if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFE:
                    code = _at(index, (lead - 0x81) * 190 + byte - (0x40 if byte < 0x7F else 0x41))
                yield from _or_broken(queue, code, byte)
            elif byte < 0x80:
                yield byte
            elif byte == 0x80:
                yield 0x20AC
            elif byte <= 0xFE:
                first = byte
            else:
                yield BROKEN

    def _ranges_code(self, pointer: int) -> int | None:
        if 39419 < pointer < 189000 or pointer > 1237575:
            return None
        if pointer == 7457:
            return 0xE7C7
        at = bisect.bisect_right(self._range_pointers, pointer) - 1
        return self._range_codes[at] + pointer - self._range_pointers[at]

    def _gb18030_encoder(self, is_gbk: bool) -> Encode:
        pointers = _pointers(self._indexes["gb18030"])

        def encode(code: int) -> bytes | None:
            if code == 0xE5E5:
                return None
            if is_gbk and code == 0x20AC:
                return b"\x80"
            if code in _GB18030_OF_2005:
                return _GB18030_OF_2005[code].to_bytes(2, "big")
            if code in pointers:
                return _two(pointers[code], 190, 0x81, lambda trail: trail + (0x40 if trail < 0x3F else 0x41))
            if is_gbk:
                return None
            at = bisect.bisect_right(self._range_codes, code) - 1
            pointer = 7457 if code == 0xE7C7 else self._range_pointers[at] + code - self._range_codes[at]
            tens, fourth = divmod(pointer, 10)
            twelves, third = divmod(tens, 126)
            first, second = divmod(twelves, 10)
            return bytes([first + 0x81, second + 0x30, third + 0x81, fourth + 0x30])

        return encode

    def _decode_big5(self, queue: Queue) -> Iterator[int]:
        for lead, byte in _lead_bytes(queue, lambda byte: 0x81 <= byte <= 0xFE):
            pointer = -1
            if 0x40 <= byte <= 0x7E or 0xA1 <= byte <= 0xFE:
                pointer = (lead - 0x81) * 157 + byte - (0x40 if byte < 0x7F else 0x62)
            if not lead:
                yield byte
            elif pointer in _BIG5_PAIRS:
                yield from _BIG5_PAIRS[pointer]
            else:
                yield from _or_broken(queue, _at(self._indexes["big5"], pointer), byte)

    def _big5_encoder(self) -> Encode:
        index = self._indexes["big5"]
        pointers = _pointers(index, range((0xA1 - 0x81) * 157))
        pointers |= {code: pointer for pointer, code in enumerate(index) if code in _BIG5_LAST}
        return lambda code: _two(pointers.get(code), 157, 0x81, lambda trail: trail + (0x40 if trail < 0x3F else 0x62))

    def _decode_euc_jp(self, queue: Queue) -> Iterator[int]:
        table = self._indexes["jis0208"]
        for lead, byte in _lead_bytes(queue, lambda byte: byte in (0x8E, 0x8F) or 0xA1 <= byte <= 0xFE):
            if not lead:
                yield byte
            elif lead == 0x8E and 0xA1 <= byte <= 0xDF:
                yield 0xFF61 - 0xA1 + byte
            elif lead == 0x8F and 0xA1 <= byte <= 0xFE:
                lead, byte, table = byte, queue.read(), self._indexes["jis0212"]
                yield from self._euc_jp_pair(queue, table, lead, byte)
                table = self._indexes["jis0208"]
            else:
                yield from self._euc_jp_pair(queue, table, lead, byte)

    def _euc_jp_pair(self, queue: Queue, index: Index, lead: int, byte: int) -> Iterator[int]:
        is_pair = 0xA1 <= lead <= 0xFE and 0xA1 <= byte <= 0xFE
        yield from _or_broken(queue, _at(index, (lead - 0xA1) * 94 + byte - 0xA1) if is_pair else None, byte)

    def _decode_shift_jis(self, queue: Queue) -> Iterator[int]:
        for lead, byte in _lead_bytes(queue, lambda byte: 0x81 <= byte <= 0x9F or 0xE0 <= byte <= 0xFC, 0x80):
            if not lead:
                yield 0xFF61 - 0xA1 + byte if 0xA1 <= byte <= 0xDF else byte
                continue
            code = None
            if 0x40 <= byte <= 0x7E or 0x80 <= byte <= 0xFC:
                pointer = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 188 + byte - (0x40 if byte < 0x7F else 0x41)
                code = 0xE000 - 8836 + pointer if 8836 <= pointer <= 10715 else _at(self._indexes["jis0208"], pointer)
            yield from _or_broken(queue, code, byte)

    def _japanese_encoder(self, encoding: str) -> Encode:
        is_euc = encoding == "euc-jp"
        pointers = _pointers(self._indexes["jis0208"], range(0) if is_euc else range(8272, 8836))

        def encode(code: int) -> bytes | None:
            if code == 0x80 and not is_euc:
                return b"\x80"
            if code in (0xA5, 0x203E):
                return b"\\" if code == 0xA5 else b"~"
            if 0xFF61 <= code <= 0xFF9F:
                return (b"\x8e" if is_euc else b"") + bytes([code - 0xFF61 + 0xA1])
            pointer = pointers.get(0xFF0D if code == 0x2212 else code)
            if is_euc or pointer is None:
                return _two(pointer, 94, 0xA1, lambda trail: trail + 0xA1)
            lead = 0x81 if pointer // 188 < 0x1F else 0xC1
            return _two(pointer, 188, lead, lambda trail: trail + (0x40 if trail < 0x3F else 0x41))

        return encode

    def _decode_euc_kr(self, queue: Queue) -> Iterator[int]:
        for lead, byte in _lead_bytes(queue, lambda byte: 0x81 <= byte <= 0xFE):
            if not lead:
                yield byte
            else:
                is_pair = 0x41 <= byte <= 0xFE
                code = _at(self._indexes["euc-kr"], (lead - 0x81) * 190 + byte - 0x41) if is_pair else None
                yield from _or_broken(queue, code, byte)

    def _decode_iso_2022_jp(self, queue: Queue) -> Iterator[int]:
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
                    new = _ISO_2022_JP_STATES.get((lead, byte))
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
                        code = _at(self._indexes["jis0208"], (lead - 0x21) * 94 + byte - 0x21)
                    yield BROKEN if code is None else code
                case _:
                    if byte == _END:
                        return
                    if byte == 0x1B:
                        state = "escape start"
                        continue
                    output = False
                    if state == "lead" and 0x21 <= byte <= 0x7E:
                        lead, state = byte, "trail"
                    else:
                        yield _iso_2022_jp_single(state, byte)

    def _encode_iso_2022_jp(self, text: str) -> Iterator[bytes]:
        pointers = self._jis0208_pointers
        katakana = self._indexes["iso-2022-jp-katakana"]
        state = "ascii"
        for code in map(ord, text):
            if state != "jis0208" and code in (0x0E, 0x0F, 0x1B):
                yield _reference(BROKEN)
                continue
            if state == "roman" and (code in (0xA5, 0x203E) or (code < 0x80 and code not in (0x5C, 0x7E))):
                yield {0xA5: b"\\", 0x203E: b"~"}.get(code) or bytes([code])
                continue
            if code < 0x80:
                if state != "ascii":
                    state = "ascii"
                    yield b"\x1b(B"
                yield _reference(BROKEN) if code in (0x0E, 0x0F, 0x1B) else bytes([code])
                continue
            if code in (0xA5, 0x203E):
                state = "roman"
                yield b"\x1b(J\\" if code == 0xA5 else b"\x1b(J~"
                continue
            looked_up = 0xFF0D if code == 0x2212 else code
            if 0xFF61 <= code <= 0xFF9F:
                looked_up = katakana[code - 0xFF61] or 0
            pointer = pointers.get(looked_up)
            if pointer is None:
                if state == "jis0208":
                    state = "ascii"
                    yield b"\x1b(B"
                yield _reference(code)
                continue
            if state != "jis0208":
                state = "jis0208"
                yield b"\x1b$B"
            yield bytes([pointer // 94 + 0x21, pointer % 94 + 0x21])
        if state != "ascii":
            yield b"\x1b(B"


_ISO_2022_JP_STATES = {
    (0x28, 0x42): "ascii",
    (0x28, 0x4A): "roman",
    (0x28, 0x49): "katakana",
    (0x24, 0x40): "lead",
    (0x24, 0x42): "lead",
}


def _iso_2022_jp_single(state: str, byte: int) -> int:
    if state == "katakana" and 0x21 <= byte <= 0x5F:
        return 0xFF61 - 0x21 + byte
    if state == "roman" and byte in (0x5C, 0x7E):
        return 0xA5 if byte == 0x5C else 0x203E
    if state in ("ascii", "roman") and byte < 0x80 and byte not in (0x0E, 0x0F):
        return byte
    return BROKEN


def _lead_bytes(queue: Queue, is_lead: Callable[[int], bool], *others: int) -> Iterator[tuple[int, int]]:
    """Pairs of lead byte and the byte (or end) after it; (0, code) of what stands alone, broken or not.

    Beyond ASCII ``others`` stand alone, and what is of half width in Shift_JIS.
    """
    while (byte := queue.read()) != _END:
        if is_lead(byte):
            yield byte, queue.read()
        else:
            is_alone = byte < 0x80 or byte in others or (others and 0xA1 <= byte <= 0xDF)
            yield 0, byte if is_alone else BROKEN


def _or_broken(queue: Queue, code: int | None, byte: int) -> Iterator[int]:
    """A code point, if there is one; else something broken, and a byte of ASCII is read again."""
    if code is None and 0 <= byte < 0x80:
        queue.restore(byte)
    yield BROKEN if code is None else code


def _two(pointer: int | None, trails: int, lead: int, trail: Callable[[int], int]) -> bytes | None:
    if pointer is None:
        return None
    return bytes([pointer // trails + lead, trail(pointer % trails)])


def _reference(code: int) -> bytes:
    return b"%%26%%23%d%%3B" % code


def _decode_replacement(queue: Queue) -> Iterator[int]:
    if queue.read() != _END:
        yield BROKEN


def _decode_utf_8(queue: Queue) -> Iterator[int]:
    needed = code = 0
    lower, upper = 0x80, 0xBF
    while True:
        byte = queue.read()
        if byte == _END:
            if needed:
                yield BROKEN
            return
        if needed:
            if not lower <= byte <= upper:
                needed, lower, upper = 0, 0x80, 0xBF
                queue.restore(byte)
                yield BROKEN
                continue
            lower, upper = 0x80, 0xBF
            code = code << 6 | byte & 0x3F
            needed -= 1
            if not needed:
                yield code
        elif byte < 0x80:
            yield byte
        elif 0xC2 <= byte <= 0xDF:
            needed, code = 1, byte & 0x1F
        elif 0xE0 <= byte <= 0xEF:
            lower, upper = {0xE0: 0xA0}.get(byte, lower), {0xED: 0x9F}.get(byte, upper)
            needed, code = 2, byte & 0xF
        elif 0xF0 <= byte <= 0xF4:
            lower, upper = {0xF0: 0x90}.get(byte, lower), {0xF4: 0x8F}.get(byte, upper)
            needed, code = 3, byte & 0x7
        else:
            yield BROKEN


def _decode_utf_16(queue: Queue, is_big_endian: bool) -> Iterator[int]:
    surrogate = 0
    while (byte := queue.read()) != _END:
        other = queue.read()
        if other == _END:
            yield BROKEN
            return
        unit = byte << 8 | other if is_big_endian else other << 8 | byte
        if surrogate:
            lead, surrogate = surrogate, 0
            if 0xDC00 <= unit <= 0xDFFF:
                yield 0x10000 + ((lead - 0xD800) << 10) + unit - 0xDC00
                continue
            queue.restore(byte, other)
            yield BROKEN
        elif 0xD800 <= unit <= 0xDBFF:
            surrogate = unit
        else:
            yield BROKEN if 0xDC00 <= unit <= 0xDFFF else unit
    if surrogate:
        yield BROKEN
