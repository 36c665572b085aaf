"""Lists of pages: URLs, sizes, both in one."""

import gzip
from pathlib import Path

import pytest

from sessions.importing.page_list import UNKNOWN, read_pages, read_sizes, read_urls
from sessions.importing.source import SourceError
from tests.sessions.importing.support.graphs import urls_of


def written(folder: Path, text: str, name: str = "list.txt") -> Path:
    path = folder / name
    path.write_bytes(text.encode("latin-1"))
    return path


def test_urls_a_line(tmp_path: Path) -> None:
    pages = read_urls(written(tmp_path, "http://a.example\nHTTPS://B.example/x y#part\n\n\n"), tmp_path)
    assert urls_of(pages) == ["http://a.example/", "https://b.example/x%20y"]
    assert pages.sizes.tolist() == [UNKNOWN, UNKNOWN]


@pytest.mark.parametrize("heading", ["", "url\tlength\n", "URL\tbytes\tmore\n"])
def test_urls_with_sizes(tmp_path: Path, heading: str) -> None:
    text = f"{heading}http://a.example/\t12\nhttp://b.example/\thttp://c.example/\t0"
    with pytest.raises(SourceError, match="is not a number of bytes"):
        read_urls(written(tmp_path, text), tmp_path)
    text = f"{heading}http://a.example/\t12\nhttp://b.example/\t\nhttp://c.example/\t 0 \tmore\nhttp://d.example/\n"
    path = tmp_path / "list.tsv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    pages = read_urls(path, tmp_path)
    assert urls_of(pages) == [f"http://{name}.example/" for name in "abcd"]
    assert pages.sizes.tolist() == [12, UNKNOWN, 0, UNKNOWN]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("http://a.example/\nmailto:x@y.example\n", 2, "'mailto:x@y.example' is not an http or https URL"),
        ("url\nhttp://a.example/\n", 1, "'url' is not an http or https URL"),
        ("url\t5\nhttp://a.example/\t5\n", 1, "'url' is not an http or https URL"),
        ("url\tlength\nurl\tlength\n", 2, "'url' is not an http or https URL"),
        ("http://a.example/\n\nhttp://b.example/\n", 2, "'' is not an http or https URL"),
        ("\n\n\nhttp://b.example/\n", 1, "'' is not an http or https URL"),
        ("http://a.example/\xfc\n", 1, "is not an http or https URL"),
        (f"http://a.example/{'x' * 9000}\n", 1, "is not an http or https URL of at most 8,192 characters"),
        ("http://a.example/\t-5\n", 1, "'-5' is not a number of bytes"),
        ("http://a.example/\t1e3\n", 1, "'1e3' is not a number of bytes"),
        ("http://a.example/\t5\nhttp://b.example/\t99999999999999999\n", 2, "is not a number of bytes"),
    ],
)
def test_wrong_lines_are_named(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SourceError, match=what) as caught:
        read_urls(path, tmp_path)
    assert str(caught.value).startswith(f"{path}: line {line}: ")
    assert len(str(caught.value)) < 400


def test_sizes(tmp_path: Path) -> None:
    assert read_sizes(written(tmp_path, "5\n 0\t\n0012\r\n\n")).tolist() == [5, 0, 12]
    assert read_sizes(written(tmp_path, "")).tolist() == []


@pytest.mark.parametrize(("text", "line"), [("5\nx\n", 2), ("1.5\n", 1), ("5\n\n6\n", 2), ("\xb2\n", 1), ("1 2\n", 1)])
def test_wrong_sizes_are_named(tmp_path: Path, text: str, line: int) -> None:
    path = written(tmp_path, text)
    with pytest.raises(SourceError, match=f"^{path}: line {line}: .* is not a number of bytes$"):
        read_sizes(path)


def test_pages_from_both_or_one_or_none(tmp_path: Path) -> None:
    urls = written(tmp_path, "http://a.example/\t5\nhttp://b.example/\t6\n", "urls")
    sizes = written(tmp_path, "7\n8\n", "sizes")
    kept = tmp_path / "kept"
    kept.mkdir()
    assert read_pages(None, None, tmp_path) is None
    both = read_pages(urls, sizes, kept)
    assert both is not None
    assert (urls_of(both), both.sizes.tolist()) == (["http://a.example/", "http://b.example/"], [7, 8])
    numbered = read_pages(None, sizes, tmp_path)
    assert numbered is not None
    assert urls_of(numbered) == ["http://pages.invalid/0", "http://pages.invalid/1"]
    assert numbered.sizes.tolist() == [7, 8]
    sizes.write_text("7\n")
    with pytest.raises(SourceError, match=f"^{sizes}: has the bytes of 1 pages; {urls} has 2 URLs$"):
        read_pages(urls, sizes, kept)
