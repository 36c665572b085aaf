"""A unit: what is written is read, and what may not be in one is refused before anything is done about it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crawler.config.crawl_options import CrawlOptions
from crawler.work.keys import SigningKey, make_key
from crawler.work.signed_text import signed_text
from crawler.work.unit import (
    BYTES_BESIDE_URLS,
    FORM,
    MOST_BYTES,
    MOST_URLS,
    OPTIONS,
    Unit,
    UnitUrl,
    bytes_in_unit,
    read_unit,
)
from crawler.work.work_error import WorkError

URLS = (UnitUrl("http://a.example/", "new"), UnitUrl("http://b.example/x?y=1", "old"))
UNIT = Unit(3, "0123456789abcdef", "2026-03-01T00:00:00+00:00", "2026-03-08T00:00:00+00:00", {"delay": 2.0}, URLS)


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return make_key(tmp_path / "project.key")


def content(**changes: Any) -> dict[str, Any]:
    told = {**vars(UNIT), "urls": [list(item) for item in UNIT.urls], "identity": UNIT.identity}
    return {name: value for name, value in (told | changes).items() if value is not None}


def test_what_is_written_is_read(tmp_path: Path, key: SigningKey) -> None:
    path = tmp_path / "a.unit"
    path.write_bytes(UNIT.as_text(key))
    signed = read_unit(path)
    assert (signed.unit, signed.key) == (UNIT, key.public)


def test_what_a_unit_may_ask_for_begins_with_what_a_crawl_does_by_itself() -> None:
    defaults = CrawlOptions()
    assert {name: OPTIONS[name].least for name in ("delay", "server_delay")} == {
        "delay": defaults.delay,
        "server_delay": defaults.server_delay,
    }
    for name, allowed in OPTIONS.items():
        assert allowed.least <= getattr(defaults, name) <= allowed.most


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"options": {"delay": 0.5}}, "delay 0.5: a unit may ask for 1 to 3600, and for nothing laxer"),
        ({"options": {"server_delay": 0}}, "server_delay 0: a unit may ask for 0.5 to 3600"),
        ({"options": {"delay": True}}, "delay true: a unit may ask for 1 to 3600"),
        ({"options": {"delay": float("nan")}}, "delay NaN: a unit may ask for 1 to 3600"),
        ({"options": {"max_links": 2.5}}, "max_links 2.5: a unit may ask for 1 to 10000"),
        ({"options": {"allow_net": ["10.0.0.0/8"]}}, "option 'allow_net' is not one that a unit may carry"),
        ({"options": {"robots_wait": 0}}, "option 'robots_wait' is not one that a unit may carry"),
        ({"urls": []}, "it has 0 URLs; 1 to 10,000 may be in a unit"),
        ({"urls": [["http://a.example/", "new"]] * (MOST_URLS + 1)}, "it has 10,001 URLs"),
        ({"urls": [["http://a.example/", "new"]] * 2}, "a URL stands in it twice"),
        ({"urls": [["http://A.example", "new"]]}, "URL 0 is not a canonical http(s) URL with its kind"),
        ({"urls": [["file:///etc/passwd", "new"]]}, "URL 0 is not a canonical http(s) URL with its kind"),
        ({"urls": [["http://a.example/", "other"]]}, "URL 0 is not a canonical http(s) URL with its kind"),
        ({"urls": ["http://a.example/"]}, "URL 0 is not a canonical http(s) URL with its kind"),
        ({"identity": "0" * 16}, "its identity is not that of its URLs"),
        ({"deadline": "soon"}, "its number or its times are not valid"),
        ({"deadline": "2026-03-08T00:00:00"}, "its number or its times are not valid"),
        ({"number": 0}, "its number or its times are not valid"),
        ({"worklist": 5}, "worklist is 5, which is not valid"),
        ({"deadline": None}, "'deadline' is not right"),
        ({"command": "rm"}, "'command' is not right"),
    ],
)
def test_what_may_not_be_in_a_unit(tmp_path: Path, key: SigningKey, changes: dict[str, Any], problem: str) -> None:
    path = tmp_path / "a.unit"
    path.write_bytes(signed_text(FORM, content(**changes), key))
    with pytest.raises(WorkError) as caught:
        read_unit(path)
    assert str(caught.value).startswith(f"{path}: no unit to run: ")
    assert problem in str(caught.value)


def test_a_unit_that_is_not_signed_or_altered(tmp_path: Path, key: SigningKey) -> None:
    path, text = tmp_path / "a.unit", UNIT.as_text(key)
    first, told, signature = text.split(b"\n", 2)
    for altered, problem in (
        (first + b"\n" + told + b"\n", "not signed"),
        (first + b"\n" + told, "not signed"),
        (text.replace(b"a.example", b"c.example"), "the signature is not that of"),
        (first + b"\n" + told + b"\n" + make_key(tmp_path / "b.key").public.encode() + signature[64:], "not that of"),
        (text.replace(b"unit 1", b"unit 2"), "not of the format 'cutweb work unit 1'"),
        (signed_text("cutweb work result 1", json.loads(told), key), "not of the format"),
        (b"", "not of the format"),
        (b"\xff" * 9_000_000, "no unit: larger than"),
    ):
        path.write_bytes(altered)
        with pytest.raises(WorkError, match=problem):
            read_unit(path)


def test_the_largest_unit_is_read(tmp_path: Path, key: SigningKey) -> None:
    """What does not fit by `bytes_in_unit` is left out, and what does fit can be read again."""
    urls, room = [], MOST_BYTES
    for number in range(MOST_URLS):
        url = f"http://a.example/?{number:05d}{chr(92) * 800}"
        if (room := room - bytes_in_unit(url)) < 0:
            break
        urls.append(UnitUrl(url, "old"))
    path = tmp_path / "a.unit"
    path.write_bytes(replace(UNIT, urls=tuple(urls)).as_text(key))
    assert MOST_BYTES - 2000 < path.stat().st_size < MOST_BYTES + BYTES_BESIDE_URLS
    assert len(read_unit(path).unit.urls) == len(urls)


def test_deep_json_is_no_unit(tmp_path: Path, key: SigningKey) -> None:
    path = tmp_path / "a.unit"
    body = f"{FORM}\n{'[' * 100_000}\n".encode()
    path.write_bytes(body + f"{key.public} {key.sign(body)}\n".encode())
    with pytest.raises(WorkError, match="what was signed is not JSON"):
        read_unit(path)
