"""Every page for itself."""

from hypothesis import given, settings

from partition.models.grouping import by_page
from tests.partition.models.support.cases import WEBS
from tests.partition.quality.support.webs import SmallWeb


@settings(max_examples=50)
@given(WEBS)
def test_every_page_for_itself(web: SmallWeb) -> None:
    grouping = by_page(web.graph())
    assert grouping.groups.tolist() == list(range(len(web.sizes)))
    assert (grouping.prefixes, grouping.count) == ([], len(web.sizes))
    assert grouping.groups.dtype == "int64"
