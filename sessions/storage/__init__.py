"""storage: see `crawler`."""
