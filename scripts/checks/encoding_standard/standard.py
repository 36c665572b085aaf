"""The decoders and encoders of all encodings, by their names in lower case."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from scripts.checks.encoding_standard.big5 import big5_encoder, decode_big5
from scripts.checks.encoding_standard.euc_kr import decode_euc_kr, euc_kr_encoder
from scripts.checks.encoding_standard.gb18030 import Gb18030
from scripts.checks.encoding_standard.iso_2022_jp import decode_iso_2022_jp, encode_iso_2022_jp
from scripts.checks.encoding_standard.japanese import decode_euc_jp, decode_shift_jis, japanese_encoder
from scripts.checks.encoding_standard.steps import BROKEN, Encode, Index, Indexes, Queue, first_pointers, reference
from scripts.checks.encoding_standard.unicode_steps import decode_replacement, decode_utf_8, decode_utf_16

Decode = Callable[[bytes], str]
Steps = Callable[[Queue], Iterator[int]]


class Standard:
    """Decoders and encoders over the standard's tables, and the ``ranges`` of GB18030's four bytes."""

    def __init__(self, indexes: Indexes, ranges: Sequence[tuple[int, int]]) -> None:
        self._indexes = indexes
        self._ranges = ranges
        self._encoders: dict[str, Encode] = {}
        self._jis0208_pointers = first_pointers(indexes["jis0208"])

    def decoder(self, encoding: str) -> Decode:
        """What decodes a whole document."""
        steps = self._steps(encoding)
        if steps is not None:
            return lambda content: "".join(map(chr, steps(Queue(content))))
        table = [chr(BROKEN if code is None else code) for code in (*range(0x80), *self._upper_half(encoding))]
        return lambda content: "".join([table[byte] for byte in content])

    def encoder(self, encoding: str) -> Encode:
        """What encodes a code point beyond ASCII; not for ISO-2022-JP, which has states."""
        match encoding:
            case "gbk" | "gb18030":
                return self._gb18030().encoder(is_gbk=encoding == "gbk")
            case "big5":
                return big5_encoder(self._indexes["big5"])
            case "euc-jp" | "shift_jis":
                return japanese_encoder(self._indexes["jis0208"], is_euc=encoding == "euc-jp")
            case "euc-kr":
                return euc_kr_encoder(self._indexes["euc-kr"])
            case "utf-8" | "utf-16le" | "utf-16be" | "replacement":
                return lambda code: chr(code).encode()
        single_bytes = first_pointers(self._upper_half(encoding))
        return {code: bytes([0x80 + pointer]) for code, pointer in single_bytes.items()}.get

    def encoded(self, text: str, encoding: str) -> bytes:
        """Percent-encode after encoding (URL standard), as of a query; but only ``&#N;`` is percent-encoded yet."""
        if encoding == "iso-2022-jp":
            katakana = self._indexes["iso-2022-jp-katakana"]
            return b"".join(encode_iso_2022_jp(text, self._jis0208_pointers, katakana))
        encode = self._encoders.get(encoding) or self._encoders.setdefault(encoding, self.encoder(encoding))
        return b"".join(
            bytes([ord(one)]) if one.isascii() else _reference_if_none(ord(one), encode(ord(one))) for one in text
        )

    def _steps(self, encoding: str) -> Steps | None:
        """The steps of an encoding of several bytes; None for one whose every byte is a character."""
        match encoding:
            case "gbk" | "gb18030":
                return self._gb18030().decode
            case "big5":
                return partial(decode_big5, index=self._indexes["big5"])
            case "euc-jp":
                return partial(decode_euc_jp, indexes=self._indexes)
            case "iso-2022-jp":
                return partial(decode_iso_2022_jp, jis0208=self._indexes["jis0208"])
            case "shift_jis":
                return partial(decode_shift_jis, jis0208=self._indexes["jis0208"])
            case "euc-kr":
                return partial(decode_euc_kr, index=self._indexes["euc-kr"])
            case "utf-8":
                return decode_utf_8
            case "utf-16le" | "utf-16be":
                return partial(decode_utf_16, is_big_endian=encoding == "utf-16be")
            case "replacement":
                return decode_replacement
        return None

    def _gb18030(self) -> Gb18030:
        return Gb18030(self._indexes["gb18030"], self._ranges)

    def _upper_half(self, encoding: str) -> Index:
        """The code points of the bytes from 80 on."""
        if encoding == "x-user-defined":
            return range(0xF780, 0xF800)
        return self._indexes[encoding.removesuffix("-i")]


def _reference_if_none(code: int, encoded: bytes | None) -> bytes:
    return reference(code) if encoded is None else encoded
