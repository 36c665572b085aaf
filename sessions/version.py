"""The version of Cutweb that runs, as sessions, maps and reports record it.

It stands here and nowhere else: pyproject.toml takes it from here.  To ask the installed distribution for it, every
rank would have to load what reads its metadata.
"""

VERSION = "0.2.0"


def software_version() -> str:
    """The version that runs."""
    return VERSION
