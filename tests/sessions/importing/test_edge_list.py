"""Lists of links as text."""

import gzip
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.importing import edge_list
from sessions.importing.edge_list import read_edges
from sessions.importing.source import SourceError
from tests.sessions.importing.support.graphs import whole

LARGEST = (1 << 63) - 1


def read(folder: Path, text: str | bytes, pages: int | None = None) -> list[tuple[int, int]]:
    path = folder / "links.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("latin-1"))
    sources, targets = whole(read_edges(path, pages))
    assert sources.dtype == targets.dtype == "int64"
    return list(zip(sources.tolist(), targets.tolist(), strict=True))


pairs = st.lists(st.tuples(st.integers(0, LARGEST), st.integers(0, LARGEST)))
ends = st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n# 1 2\n", "\n  # x \xe4\n\t\n"])


@given(pairs, st.sampled_from(["\t", " ", "  \t "]), st.data(), st.booleans(), st.integers(1, 40))
def test_what_was_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    links: list[tuple[int, int]],
    between: str,
    data: st.DataObject,
    is_packed: bool,
    block: int,
) -> None:
    text = "".join(f"{source}{between}{target}{data.draw(ends)}" for source, target in links).encode("latin-1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edge_list, "_BLOCK_BYTES", block)
        assert read(tmp_path_factory.mktemp("any"), gzip.compress(text) if is_packed else text) == links


def test_the_last_line_needs_no_end_and_a_file_no_links(tmp_path: Path) -> None:
    assert read(tmp_path, "0 1\n2 3") == [(0, 1), (2, 3)]
    assert read(tmp_path, "0 1") == [(0, 1)]
    assert read(tmp_path, "") == []
    assert read(tmp_path, "# Nodes: 0 Edges: 0\n") == []


def test_large_lists_are_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_list, "_BLOCK_BYTES", 1 << 20)
    choice = random.Random(3)
    links = [(choice.randrange(10**9), choice.randrange(10**9)) for _ in range(200_000)]
    text = "".join(f"{source}\t{target}\n" for source, target in links)
    assert read(tmp_path, text) == links
    shown: list[tuple[str, int, int]] = []
    whole(read_edges(tmp_path / "links.txt", progress=lambda *state: shown.append(state)))
    assert len(shown) > 3
    assert shown[-1] == ("reading links", len(text), len(text))


@pytest.mark.parametrize(
    "line", ["1", "1 2 3", "a b", "1 -2", "1,2", "1 2.5", "1 2 # no", "% 1 2", "1\x002", "0x1 2", "1\x0b2", "1 2\xa0"]
)
@pytest.mark.parametrize("before", ["", "# SNAP\n\n0 1\n", "0 1\n" * 5000])
def test_wrong_lines_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, before: str) -> None:
    monkeypatch.setattr(edge_list, "_BLOCK_BYTES", 3000)
    number = before.count("\n") + 1
    for after in ("", "\n", "\n5 6\n"):
        with pytest.raises(SourceError, match="is not a pair of page numbers") as caught:
            read(tmp_path, before + line + after)
        assert str(caught.value).startswith(f"{tmp_path}/links.txt: line {number}: '")


def test_numbers_beyond_64_bits_are_named(tmp_path: Path) -> None:
    assert read(tmp_path, f"{LARGEST} 000{LARGEST}") == [(LARGEST, LARGEST)]
    for number in (LARGEST + 1, 1 << 64, 10**40):
        with pytest.raises(SourceError, match=rf"line 2: a page number in '1 {number}' is larger than {LARGEST}$"):
            read(tmp_path, f"0 1\n1 {number}\n2 2\n")


def test_numbers_without_a_page_are_named(tmp_path: Path) -> None:
    assert read(tmp_path, "0 2\n1 1\n", pages=3) == [(0, 2), (1, 1)]
    with pytest.raises(SourceError, match=r"line 3: '3 1' has a number that is no page's; pages are 0 to 2$"):
        read(tmp_path, "#\n0 2\n3 1\n", pages=3)
    with pytest.raises(SourceError, match=r"line 1: '0 0' has a number that is no page's; there are none$"):
        read(tmp_path, "0 0\n", pages=0)


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edge_list, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(edge_list, "LONGEST_LINE", 100)
    with pytest.raises(SourceError, match=r"offset 0: in a line of more than 100 bytes"):
        read(tmp_path, "0 1\n" + "#" * 5000)


def test_a_packed_list_that_is_cut_off(tmp_path: Path) -> None:
    packed = gzip.compress(b"0 1\n" * 1000)[:-3]
    with pytest.raises(SourceError, match=rf"links.txt: offset {len(packed)}: the file ends in the middle"):
        read(tmp_path, packed)
