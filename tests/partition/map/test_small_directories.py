"""The rule ``directory``, beside counting by hand."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from partition.map import small_directories
from partition.map.partition_assignment import PartitionAssignment
from partition.map.partition_map import PartitionMap
from sessions.url import url_hash, url_hashes
from tests.partition.map.support.maps import make_map

K = 2
URLS = st.builds(
    "http://{}.example/{}{}".format,
    st.sampled_from("ab"),
    st.sampled_from(["", "x/", "x/y/", "z/", "z/?q=/"]),
    st.integers(0, 60),
)


def expected_owner(known: dict[str, int], url: str) -> int:
    """Who owns an unknown URL, said once more."""
    path = url.partition("?")[0]
    directory = path[: path.rindex("/") + 1]
    parts = Counter(part for page, part in known.items() if page.startswith(directory))
    if not 0 < parts.total() <= len(known) // (4 * K):
        return url_hash(url) % K
    return min(part for part, count in parts.items() if count == max(parts.values()))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.dictionaries(URLS, st.integers(0, K - 1), min_size=1, max_size=120), st.lists(URLS, max_size=40))
def test_pages_stay_in_small_directories_and_others_spread(known: dict[str, int], urls: list[str]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name) / "map"
        make_map(folder, list(known), K, parts=list(known.values()), prefixes=[], prefix_parts=[], unknown="directory")
        table = PartitionMap.open(folder)
        owners = [PartitionAssignment(table, rank).owners(url_hashes(urls), urls).tolist() for rank in range(K)]
    assert owners[0] == owners[1] == [known[url] if url in known else expected_owner(known, url) for url in urls]


def test_what_is_remembered_of_directories_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_directories, "_MOST_REMEMBERED", 3)
    known = [f"http://a.example/{number}/" for number in range(40)]
    make_map(tmp_path / "map", known, K, parts=[0] * 40, prefixes=[], prefix_parts=[], unknown="directory")
    directories = small_directories._Directories(PartitionMap.open(tmp_path / "map"))
    urls = [f"http://a.example/{number}/new" for number in range(40)]
    assert directories.owners(url_hashes(urls), urls).tolist() == [0] * 40
    assert len(directories._known) <= 3
