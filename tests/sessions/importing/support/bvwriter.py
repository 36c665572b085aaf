"""Writes graphs in WebGraph's BV format: a second opinion on what the reader reads, slow and plain."""

import random
from collections.abc import Sequence
from pathlib import Path

from sessions.importing.bit_codes import Code
from sessions.importing.bv_successors import Coding

Lists = Sequence[Sequence[int]]

FLAGS = {
    "outdegrees": "OUTDEGREES",
    "blocks": "BLOCKS",
    "residuals": "RESIDUALS",
    "references": "REFERENCES",
    "block_counts": "BLOCK_COUNT",
}


def binary(number: int, width: int) -> str:
    return f"{number:0{width}b}" if width else ""


def unary(number: int) -> str:
    return "0" * number + "1"


def gamma(number: int) -> str:
    width = (number + 1).bit_length() - 1
    return unary(width) + binary(number + 1 - (1 << width), width)


def delta(number: int) -> str:
    width = (number + 1).bit_length() - 1
    return gamma(width) + binary(number + 1 - (1 << width), width)


def zeta(number: int, k: int) -> str:
    number += 1
    steps = (number.bit_length() - 1) // k
    least = 1 << steps * k
    if number < 2 * least:
        return unary(steps) + binary(number - least, steps * k + k - 1)
    return unary(steps) + binary(number, steps * k + k)


def nibble(number: int) -> str:
    digits = f"{number:o}"
    return "".join(("1" if last else "0") + binary(int(digit), 3) for last, digit in _with_last(digits))


def _with_last(digits: str) -> list[tuple[bool, str]]:
    return [(index == len(digits) - 1, digit) for index, digit in enumerate(digits)]


def golomb(number: int, modulus: int) -> str:
    quotient, rest = divmod(number, modulus)
    width = modulus.bit_length() - 1
    short = (1 << (width + 1)) - modulus
    return unary(quotient) + (binary(rest, width) if rest < short else binary(rest + short, width + 1))


def coded(number: int, code: Code, k: int) -> str:
    """A number in a code."""
    match code:
        case Code.GAMMA:
            return gamma(number)
        case Code.DELTA:
            return delta(number)
        case Code.UNARY:
            return unary(number)
        case Code.ZETA:
            return zeta(number, k)
        case Code.NIBBLE:
            return nibble(number)
        case Code.GOLOMB:
            return golomb(number, k)


def signed(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def bit_string(lists: Lists, coding: Coding, choice: random.Random) -> str:
    """The lists of a graph in bits, each copied from an earlier one that ``choice`` picks, or from none."""
    return "".join(_one(lists, node, coding, choice) for node in range(len(lists)))


def _one(lists: Lists, node: int, coding: Coding, choice: random.Random) -> str:
    left = list(lists[node])
    bits = coded(len(left), coding.outdegrees, 1)
    if not left:
        return bits
    if coding.window:
        reference = choice.randint(0, min(coding.window, node))
        bits += coded(reference, coding.references, 1)
        if reference:
            earlier = lists[node - reference]
            blocks = _blocks([number in left for number in earlier])
            bits += coded(len(blocks), coding.block_counts, 1)
            bits += "".join(coded(block - (index > 0), coding.blocks, 1) for index, block in enumerate(blocks))
            left = [number for number in left if number not in earlier]
    if left and coding.shortest_interval:
        intervals = _intervals(left, coding.shortest_interval)
        bits += gamma(len(intervals))
        end = None
        for start, length in intervals:
            bits += gamma(signed(start - node) if end is None else start - end - 1)
            bits += gamma(length - coding.shortest_interval)
            end = start + length
            left = [number for number in left if not start <= number < end]
    before = None
    for number in left:
        bits += coded(signed(number - node) if before is None else number - before - 1, coding.residuals, coding.k)
        before = number
    return bits


def _blocks(is_copied: Sequence[bool]) -> list[int]:
    """Lengths of the blocks that are copied and left in turn, copied first, without the last."""
    blocks, now = [0], True
    for copied in is_copied:
        if copied != now:
            blocks.append(0)
            now = copied
        blocks[-1] += 1
    return blocks[:-1]


def _intervals(numbers: Sequence[int], shortest: int) -> list[tuple[int, int]]:
    """Runs of consecutive numbers: where they start and how long they are."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == sum(runs[-1]):
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    return [(start, length) for start, length in runs if length >= shortest]


def as_bytes(bits: str) -> bytes:
    return int(bits + "0" * (-len(bits) % 8) or "0", 2).to_bytes((len(bits) + 7) // 8)


def properties(lists: Lists, coding: Coding, **changed: object) -> str:
    """What the properties file says of a graph; ``changed`` keys say something else, or nothing if they are None."""
    flags = " | ".join(f"{FLAGS[part]}_{getattr(coding, part).name}" for part in FLAGS)
    values: dict[str, object] = {
        "nodes": len(lists),
        "arcs": sum(map(len, lists)),
        "windowsize": coding.window,
        "minintervallength": coding.shortest_interval,
        "zetak": coding.k,
        "compressionflags": flags,
        "graphclass": "it.unimi.dsi.webgraph.BVGraph",
        "version": 0,
        **changed,
    }
    return "#BVGraph properties\n" + "".join(f"{key}={value}\n" for key, value in values.items() if value is not None)


def write_graph(basename: Path, lists: Lists, coding: Coding, choice: random.Random, **changed: object) -> Path:
    """Write BASENAME.graph and BASENAME.properties; the basename."""
    basename.with_name(f"{basename.name}.graph").write_bytes(as_bytes(bit_string(lists, coding, choice)))
    basename.with_name(f"{basename.name}.properties").write_text(properties(lists, coding, **changed))
    return basename
