import resource

import pytest

from crawler import descriptors


@pytest.mark.parametrize(("soft", "transfers", "kept"), [(1024, 64, 256), (1024, 300, 896), (100, 50, 50)])
def test_idle_connections_leave_room_for_files(
    monkeypatch: pytest.MonkeyPatch, soft: int, transfers: int, kept: int
) -> None:
    monkeypatch.setattr(descriptors.resource, "getrlimit", lambda _: (soft, soft))
    assert descriptors.connections_kept(transfers) == kept


def test_the_limit_is_raised_to_what_the_system_allows() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        descriptors.raise_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
