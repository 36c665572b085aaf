"""duplicates: see `crawler`."""
