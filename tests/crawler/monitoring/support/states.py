"""States of ranks as an exchange gives them."""

from hypothesis import strategies as st

from crawler.exchange.verdict import Status
from crawler.network.web import ERROR_KINDS

NOTHING = Status._make([*[0] * (len(Status._fields) - 1), (0,) * len(ERROR_KINDS)])

_COUNTS = st.integers(0, 1 << 60)
STATES: st.SearchStrategy[list[Status]] = st.lists(
    st.builds(
        lambda numbers, errors: Status._make([*numbers, errors]),
        st.tuples(*[_COUNTS] * (len(Status._fields) - 1)),
        st.tuples(*[st.integers(0, 1 << 40)] * len(ERROR_KINDS)),
    ),
    min_size=1,
    max_size=5,
)
"""The states of one rank or several, whatever they are."""


def errors(**counts: int) -> tuple[int, ...]:
    """Counts of errors by kind."""
    return tuple(counts.get(kind, 0) for kind in ERROR_KINDS)


def at(seconds: float, *pages: int, superstep: int = 1) -> list[Status]:
    """Ranks that have fetched so many pages each, so many seconds after the start."""
    return [NOTHING._replace(pages=count, milliseconds=round(1000 * seconds), superstep=superstep) for count in pages]
