"""writing: see `crawler`."""
