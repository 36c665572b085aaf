"""serve: see `crawler`."""
