"""robots: see `crawler`."""
