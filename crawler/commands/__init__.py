"""commands: see `crawler`."""
