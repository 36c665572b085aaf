"""analysis: see `crawler`."""
