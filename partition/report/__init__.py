"""report: see `crawler`."""
