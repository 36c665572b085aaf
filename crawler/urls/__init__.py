"""urls: see `crawler`."""
