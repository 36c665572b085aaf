import resource

import pytest

from crawler.process import file_limits


@pytest.mark.parametrize(("soft", "transfers", "kept"), [(1024, 64, 256), (1024, 300, 896), (100, 50, 50)])
def test_idle_connections_leave_room_for_files(
    monkeypatch: pytest.MonkeyPatch, soft: int, transfers: int, kept: int
) -> None:
    monkeypatch.setattr(file_limits.resource, "getrlimit", lambda _: (soft, soft))
    assert file_limits.connections_kept(transfers) == kept


def test_the_limit_is_raised_to_what_the_system_allows() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        file_limits.raise_limit()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
