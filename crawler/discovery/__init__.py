"""discovery: see `crawler`."""
