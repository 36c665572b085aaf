"""Names of tests: workers that share the tests out among them must find the same ones."""

import pytest

GZIP = b"\x1f\x8b"


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """The name of a parameter: gzip notes the time at which it packs, which no name may depend on."""
    return f"{argname} packed" if isinstance(val, bytes) and val.startswith(GZIP) else None
