"""config: see `crawler`."""
