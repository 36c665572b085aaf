"""intake: see `crawler`."""
