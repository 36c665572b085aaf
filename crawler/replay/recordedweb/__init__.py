"""The web as a session recorded it.

Its pages come from the tables (`recordedpages`) or the WARC files (`storedbodies`), both `answers` to requests.
`recordedweb` hands them to the rank, whose visits are `plainvisits`; `recordedadmission` ends a URL without a page as
it ended then; `recordedsites` knows what belongs to a site.
"""
