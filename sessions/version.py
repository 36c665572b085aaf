"""The version of Cutweb that runs, as sessions, maps and reports record it."""

from importlib.metadata import PackageNotFoundError, version


def software_version() -> str:
    """The version of the installed distribution."""
    try:
        return version("cutweb")
    except PackageNotFoundError:
        return "0+unknown"
