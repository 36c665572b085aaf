"""The web as a session recorded it.

Its pages come from the tables (`recorded_pages`) or the WARC files (`stored_bodies`), both `Answers` to requests.
`recorded_web` hands them to the rank, whose visits are `plain_visits`; `recorded_admission` ends a URL without a page
as it ended then; `recorded_sites` knows what belongs to a site.
"""
