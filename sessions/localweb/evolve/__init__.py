"""evolve: see `crawler`."""
