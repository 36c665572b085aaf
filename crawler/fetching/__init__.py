"""fetching: see `crawler`."""
