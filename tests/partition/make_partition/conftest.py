"""The session that is cut here."""

from pathlib import Path

import pytest

from tests.partition.quality.support.webs import ring


@pytest.fixture(scope="package")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ring().session(tmp_path_factory.mktemp("webs") / "ring")
