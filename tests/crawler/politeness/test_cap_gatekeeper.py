"""The accounts of capped pages: who is answered, when, and in which order."""

import pytest

from crawler.politeness.cap_gatekeeper import CapGatekeeper
from crawler.politeness.messages import Allowance, Spend, Spent
from crawler.politeness.page_caps import DOMAIN_CAP, SITE_CAP, Account, Caps, PageCaps
from tests.crawler.politeness.support.null_mailbox import Letters

SITE, OTHER, DOMAIN = (
    Account(SITE_CAP, "a.b.example"),
    Account(SITE_CAP, "c.b.example"),
    Account(DOMAIN_CAP, "b.example"),
)


def test_who_comes_first_is_answered_first() -> None:
    letters = Letters()
    keeper = CapGatekeeper(letters, Caps(PageCaps(2)))
    for rank in (3, 1, 2):
        keeper.asked(rank, Spend(SITE.key, (SITE,), 2))
    assert letters.take() == [(3, Allowance(SITE.key, 2, ""))]
    keeper.spent(Spent((SITE,), 0, 1))
    assert letters.take() == [(1, Allowance(SITE.key, 1, ""))]
    keeper.spent(Spent((SITE,), 1, 0))
    assert letters.take() == []
    keeper.spent(Spent((SITE,), 1, 0))
    assert letters.take() == [(2, Allowance(SITE.key, 0, SITE_CAP))]


def test_a_site_s_cap_that_is_used_up_does_not_hold_up_other_sites_of_the_domain() -> None:
    letters = Letters()
    keeper = CapGatekeeper(letters, Caps(PageCaps(2, None, 9)))
    keeper.asked(0, Spend(SITE.key, (SITE, DOMAIN), 5))
    keeper.asked(1, Spend(SITE.key, (SITE, DOMAIN), 5))
    keeper.asked(2, Spend(OTHER.key, (OTHER, DOMAIN), 5))
    assert letters.take() == [(0, Allowance(SITE.key, 2, "")), (2, Allowance(OTHER.key, 2, ""))]


def test_a_question_may_wait_for_one_cap_and_then_for_another() -> None:
    letters = Letters()
    keeper = CapGatekeeper(letters, Caps(PageCaps(2, None, 3)))
    keeper.asked(0, Spend(SITE.key, (SITE, DOMAIN), 2))
    keeper.asked(1, Spend(SITE.key, (SITE, DOMAIN), 2))
    keeper.asked(2, Spend(OTHER.key, (OTHER, DOMAIN), 2))
    keeper.asked(3, Spend(OTHER.key, (OTHER, DOMAIN), 2))
    assert letters.take() == [(0, Allowance(SITE.key, 2, "")), (2, Allowance(OTHER.key, 1, ""))]
    keeper.spent(Spent((SITE, DOMAIN), 1, 1))
    assert letters.take() == [(1, Allowance(SITE.key, 1, ""))], "what came back of both"
    keeper.spent(Spent((OTHER, DOMAIN), 1, 0))
    assert letters.take() == [], "the domain's last page is still under way"
    keeper.spent(Spent((SITE, DOMAIN), 0, 1))
    assert letters.take() == [(3, Allowance(OTHER.key, 1, ""))]
    keeper.spent(Spent((OTHER, DOMAIN), 1, 0))
    assert letters.take() == []


def test_more_than_was_allowed_cannot_be_spent() -> None:
    with pytest.raises(KeyError):
        CapGatekeeper(Letters(), Caps(PageCaps(2))).spent(Spent((SITE,), 1, 0))
