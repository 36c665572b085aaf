"""rank: see `crawler`."""
