"""assignment: see `crawler`."""
