"""The hash of the pay-level domain of each URL of a batch: `sessions.url.domain_of` for many URLs, compiled.

A rule of the public-suffix list is found by a hash of its labels, read backwards, so that one pass over a host, from
its end, meets every suffix of it (FNV-1a, Fowler, Noll and Vo).
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from publicsuffixlist import PSLFILE, encode_idn

from sessions.compiled import compiled
from sessions.url import Hashes
from sessions.url_hash import LONGEST, Bytes, xxh3_of

_EXACT, _WILDCARD, _EXCEPTION = 1, 2, 4
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_SLASH, _COLON, _DOT, _BRACKET, _0, _9 = (ord(character) for character in "/:.[09")
_CAPITAL_A, _CAPITAL_Z, _LAST_OF_ASCII = ord("A"), ord("Z"), 0x7F
_ODD = -1

Kinds = npt.NDArray[np.uint8]


def domain_hashes_of(urls: Sequence[str]) -> tuple[Hashes, npt.NDArray[np.bool_]]:
    """The 64-bit xxh3 of the pay-level domain of each canonical URL, uint64[n], and which are known, bool[n].

    Not known are those of hosts with capitals, empty labels or what is not ASCII, which are no canonical ones, and of
    domains that are longer than the hash takes: of them `sessions.url.domain_of` has to be asked.
    """
    text = "".join(urls)
    if not text.isascii():
        return np.zeros(len(urls), np.uint64), np.zeros(len(urls), bool)
    ends = np.cumsum(np.fromiter(map(len, urls), np.int64, len(urls)))
    hashes, is_known = np.zeros(len(urls), np.uint64), np.zeros(len(urls), bool)
    _hash_all(np.frombuffer(text.encode(), np.uint8), ends, *_rules(), hashes, is_known)
    return hashes, is_known


@cache
def _rules() -> tuple[Hashes, Kinds]:
    """A hash table: of each rule the hash of its labels, and what it is of, 0 where there is none."""
    kinds: dict[int, int] = {}
    for labels, kind in _listed():
        hashed = int(_suffix_hash(np.frombuffer(labels.encode(), np.uint8)))
        kinds[hashed] = kinds.get(hashed, 0) | kind
    size = 1 << (4 * len(kinds)).bit_length()
    table, kind_of_each = np.zeros(size, np.uint64), np.zeros(size, np.uint8)
    for hashed, kind in kinds.items():
        place = hashed & (size - 1)
        while kind_of_each[place]:
            place = (place + 1) & (size - 1)
        table[place], kind_of_each[place] = hashed, kind
    return table, kind_of_each


def _listed() -> Iterator[tuple[str, int]]:
    """The labels of each rule, in Punycode where need be as hosts have them, and what kind of rule it is."""
    for line in Path(PSLFILE).read_text(encoding="utf-8").splitlines():
        rule = line.lower().split(" ")[0].strip()
        if not rule or rule.startswith("//"):
            continue
        if rule.startswith("!"):
            yield encode_idn(rule[1:]), _EXCEPTION
        elif rule.startswith("*."):
            yield encode_idn(rule[2:]), _WILDCARD
        else:
            yield encode_idn(rule), _EXACT


@compiled
def _suffix_hash(labels: Bytes) -> np.uint64:
    hashed = _BASIS
    for place in range(len(labels) - 1, -1, -1):
        hashed = (hashed ^ np.uint64(labels[place])) * _PRIME
    return hashed


@compiled
def _hash_all(
    text: Bytes,
    ends: npt.NDArray[np.int64],
    rules: Hashes,
    kinds: Kinds,
    hashes: Hashes,
    is_known: npt.NDArray[np.bool_],
) -> None:
    start = 0
    for number in range(len(ends)):
        end = ends[number]
        first, last = _host(text, start, end)
        begin = _domain(text, first, last, rules, kinds)
        if begin != _ODD and begin < last <= begin + LONGEST:
            hashes[number] = xxh3_of(text, begin, last)
            is_known[number] = True
        start = end


@compiled
def _host(text: Bytes, start: int, end: int) -> tuple[int, int]:
    """Where the host of a URL begins and ends, without its port; nowhere if the URL has none."""
    slashes = 0
    first = start
    while first < end and slashes < 2:
        slashes += text[first] == _SLASH
        first += 1
    last = first
    while last < end and text[last] != _SLASH:
        last += 1
    digits = last
    while digits > first and _0 <= text[digits - 1] <= _9:
        digits -= 1
    has_port = digits < last and digits > first and text[digits - 1] == _COLON
    return first, digits - 1 if has_port else last


@compiled
def _domain(text: Bytes, first: int, last: int, rules: Hashes, kinds: Kinds) -> int:
    """Where in a host its pay-level domain begins, which ends where the host does; `_ODD` for an odd host."""
    if first == last or text[first] == _BRACKET:
        return first
    suffix = _suffix_labels(text, first, last, rules, kinds)
    if suffix == _ODD:
        return _ODD
    labels, begin = 0, last
    while begin > first and labels <= suffix:
        begin -= 1
        labels += text[begin] == _DOT
    return begin + 1 if labels > suffix else first


@compiled
def _suffix_labels(text: Bytes, first: int, last: int, rules: Hashes, kinds: Kinds) -> int:
    """Of how many labels the public suffix of a host is; `_ODD` for an odd host.

    Of the rules that fit, the one of most labels holds (publicsuffix.org/list); where none fits, the last label is the
    public suffix.  An address, whose last label is a number, is all suffix.
    """
    suffix, labels, is_number = 1, 0, True
    hashed, label_end = _BASIS, last
    for place in range(last - 1, first - 2, -1):
        is_whole = place < first
        if not is_whole and text[place] != _DOT:
            byte = text[place]
            if byte > _LAST_OF_ASCII or _CAPITAL_A <= byte <= _CAPITAL_Z:
                return _ODD
            is_number &= _0 <= byte <= _9
            hashed = (hashed ^ np.uint64(byte)) * _PRIME
            continue
        if place + 1 == label_end:
            return _ODD
        labels += 1
        if labels == 1 and is_number:
            return last - first
        by_rule = _suffix_by(_kind_of(hashed, rules, kinds), labels, is_whole)
        suffix = by_rule or suffix
        hashed = (hashed ^ np.uint64(_DOT)) * _PRIME
        label_end = place
    return suffix


@compiled
def _suffix_by(kind: int, labels: int, is_whole: bool) -> int:
    """Of how many labels the public suffix is by a rule of so many labels that fits; 0 if none does."""
    if kind & _EXCEPTION:
        return labels - 1
    if kind & _WILDCARD:
        return labels if is_whole else labels + 1
    return labels if kind & _EXACT else 0


@compiled
def _kind_of(hashed: np.uint64, rules: Hashes, kinds: Kinds) -> int:
    last = np.uint64(len(rules) - 1)
    place = hashed & last
    while kinds[place]:
        if rules[place] == hashed:
            return int(kinds[place])
        place = (place + np.uint64(1)) & last
    return 0
