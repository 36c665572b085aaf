"""measures: see `crawler`."""
