"""exchange: see `crawler`."""
