"""The soonest of some times."""

from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.politeness.soonest import soonest


@settings(derandomize=True)
@given(st.lists(st.none() | st.floats(allow_nan=False)))
def test_it_is_the_least_of_those_that_there_are(times: list[float | None]) -> None:
    assert soonest(*times) == min((time for time in times if time is not None), default=None)
