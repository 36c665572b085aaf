"""Every page for itself."""

from hypothesis import given, settings

from partition.assignment.url_prefixes import url_key
from partition.models.grouping import by_page, by_site
from sessions.url import site_of
from tests.partition.models.support.cases import WEBS
from tests.partition.quality.support.webs import SmallWeb


@settings(max_examples=50)
@given(WEBS)
def test_every_page_for_itself(web: SmallWeb) -> None:
    grouping = by_page(web.graph())
    assert grouping.groups.tolist() == list(range(len(web.sizes)))
    assert (grouping.prefixes, grouping.count) == ([], len(web.sizes))
    assert grouping.groups.dtype == "int64"


@settings(max_examples=80)
@given(WEBS)
def test_sites_are_groups_and_prefixes(web: SmallWeb) -> None:
    grouping = by_site(web.graph())
    assert grouping.count == len(grouping.prefixes) == len({site_of(url) for url in web.sizes})
    for url, group in zip(web.sizes, grouping.groups.tolist(), strict=True):
        assert grouping.prefixes[group] == site_of(url) + "/"
        assert url_key(url).startswith(grouping.prefixes[group])
