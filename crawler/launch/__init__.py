"""launch: see `crawler`."""
