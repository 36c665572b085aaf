"""generate: see `crawler`."""
