"""pages: see `crawler`."""
