"""network: see `crawler`."""
