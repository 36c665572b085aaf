"""frontier: see `crawler`."""
