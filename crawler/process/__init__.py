"""process: see `crawler`."""
