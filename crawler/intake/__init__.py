"""What becomes of a response: read, compared, recorded, and its links handed to discovery.

`intake` has the response read (`crawler.pages`) and written by the session's recorder.  Before that `comparisons` asks
whether the document came before: anywhere in the cluster (`duplicates`), nearly so on its site, or in the
`previous_session`.  `largest_domain` looks out for spider farms.
"""
