"""Content encodings that are broken, not asked for, or made to burst who unpacks them."""

import gzip
import random
import zlib

from tests.hostile.answers import BODY, OK, answer, gzip_of_64_mebibytes, zlib_of_64_mebibytes
from tests.hostile.evil import Ask, End, Steps, evil, fetched

DAMAGED, TOO_EARLY, TOO_LARGE, UNKNOWN_TO_US = "compression", "compression-cut", "decoded-size", "content-encoding"


@evil(fetched(error=TOO_LARGE))
def gzip_bomb(_ask: Ask) -> Steps:
    """64 MiB of zeros in 64 kB."""
    yield answer(gzip_of_64_mebibytes(), "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(error=TOO_LARGE))
def nested_gzip_bomb(_ask: Ask) -> Steps:
    """64 MiB of zeros, packed twice and said to be so: under a kilobyte."""
    yield answer(gzip.compress(gzip_of_64_mebibytes()), "Content-Encoding: gzip, gzip")
    yield End.KEEP


@evil(fetched())
def gzip_bomb_said_once(_ask: Ask) -> Steps:
    """Packed twice, but said to be packed once: what comes out is the inner file."""
    yield answer(gzip.compress(gzip_of_64_mebibytes()), "Content-Encoding: gzip", content_type="text/plain")
    yield End.KEEP


@evil(fetched(error=TOO_LARGE))
def deflate_bomb(_ask: Ask) -> Steps:
    """64 MiB of zeros in zlib's format, which was not asked for."""
    yield answer(zlib_of_64_mebibytes(), "Content-Encoding: deflate")
    yield End.KEEP


@evil(fetched(error=TOO_LARGE))
def gzip_members_bomb(_ask: Ask) -> Steps:
    """24,000 gzip members of a kilobyte of zeros each: none large, all together too large."""
    yield answer(gzip.compress(bytes(1024), mtime=0) * 24_000, "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched())
def empty_gzip_members(_ask: Ask) -> Steps:
    """50,000 gzip members with nothing in them."""
    yield answer(gzip.compress(b"", mtime=0) * 140_000, "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(), fetched(error=UNKNOWN_TO_US))
def thousand_encodings(_ask: Ask) -> Steps:
    """A list of a thousand encodings, said of a page that has one."""
    yield answer(gzip.compress(BODY), "Content-Encoding: " + ", ".join(["gzip"] * 1000))
    yield End.KEEP


@evil(fetched(error=TOO_EARLY))
def truncated_gzip(_ask: Ask) -> Steps:
    """Half a gzip file, honestly announced."""
    yield answer(gzip.compress(BODY)[:40], "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(error=DAMAGED))
def gzip_with_a_wrong_sum(_ask: Ask) -> Steps:
    """The check sum does not fit."""
    packed = bytearray(gzip.compress(BODY))
    packed[-8] ^= 0xFF
    yield answer(bytes(packed), "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(error=DAMAGED))
def gzip_damaged_in_the_middle(_ask: Ask) -> Steps:
    """Garbage in the middle of the file."""
    packed = gzip.compress(random.Random(1).randbytes(20_000))
    yield answer(packed[:9000] + b"\xff" * 1000 + packed[10_000:], "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched())
def gzip_with_a_tail(_ask: Ask) -> Steps:
    """Garbage behind a whole file."""
    yield answer(gzip.compress(BODY) + b"garbage" * 100, "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched())
def gzip_said_of_plain(_ask: Ask) -> Steps:
    """A plain page said to be packed."""
    yield answer(BODY, "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(error=TOO_EARLY), fetched(error=DAMAGED))
def gzip_header_that_never_ends(_ask: Ask) -> Steps:
    """A gzip header with a file name of a megabyte and nothing behind it."""
    yield answer(b"\x1f\x8b\x08\x08\0\0\0\0\0\x03" + b"../../etc/passwd" * 60_000, "Content-Encoding: gzip")
    yield End.KEEP


@evil(fetched(error=UNKNOWN_TO_US))
def brotli_unasked(_ask: Ask) -> Steps:
    """Brotli, though only gzip was asked for."""
    yield answer(b"\x0b\x02\x80hello\x03", "Content-Encoding: br")
    yield End.KEEP


@evil(fetched(error=UNKNOWN_TO_US))
def zstd_unasked(_ask: Ask) -> Steps:
    """Zstandard, though only gzip was asked for."""
    yield answer(b"\x28\xb5\x2f\xfd\x04\x00\x29\x00\x00hello\x00\x00\x00\x00", "Content-Encoding: zstd")
    yield End.KEEP


@evil(fetched())
def unknown_encoding(_ask: Ask) -> Steps:
    """An encoding that there is not."""
    yield answer(BODY, "Content-Encoding: utf-8; DROP TABLE pages")
    yield End.KEEP


@evil(fetched())
def raw_deflate(_ask: Ask) -> Steps:
    """Deflate without zlib's frame, as some servers mean it."""
    packer = zlib.compressobj(wbits=-15)
    yield answer(packer.compress(BODY) + packer.flush(), "Content-Encoding: deflate")
    yield End.KEEP


@evil(fetched(error=TOO_LARGE))
def gzip_bomb_in_chunks(_ask: Ask) -> Steps:
    """A bomb that comes in chunks."""
    yield OK + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    packed = gzip_of_64_mebibytes()
    yield b"%x\r\n%b\r\n0\r\n\r\n" % (len(packed), packed)
    yield End.KEEP
