"""What ranks accept, link by link, and as the estimate counts it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.exchange.parallel_modes import CROSS_OVER, FIREWALL
from crawler.replay.course import Course
from crawler.replay.estimation.estimate import estimate
from crawler.replay.measuring.acceptance import acceptance
from crawler.replay.ownership import FINDER
from crawler.replay.recording import most_linked
from crawler.replay.settings import ReplaySettings
from tests.crawler.replay.support.courses import Case, cases


def accepted_pairs(case: Case, course: Course, settings_: ReplaySettings) -> set[tuple[int, int]]:
    """Pairs of a rank and a URL that it accepts, from docs/replay.md."""
    owners, seed_owners = case.ownership.owners.tolist(), case.ownership.seed_owners.tolist()
    replicated = set(most_linked(case.recording, settings_.replicated).tolist())
    pairs = {(seed_owners[url], url) for url in {*case.recording.seeds.tolist(), *replicated}}
    for rank, page in zip(course.fetches.rank.tolist(), course.fetches.page.tolist(), strict=True):
        for source, target, flags in case.links:
            if source != page or flags or target in replicated:
                continue
            if owners[target] in (rank, FINDER) or settings_.mode == CROSS_OVER:
                pairs.add((rank, target))
            elif settings_.mode != FIREWALL:
                pairs.add((owners[target], target))
    return pairs


@settings(deadline=None, derandomize=True)
@given(cases(), st.integers(0, 3))
def test_acceptance_is_as_defined(case: Case, replicated: int) -> None:
    settings_ = ReplaySettings(mode=case.settings.mode, replicated=replicated)
    found = acceptance(case.recording, case.ownership, case.course, settings_)
    pairs = accepted_pairs(case, case.course, settings_)
    urls = {url for _, url in pairs}
    assert found.urls == len(urls)
    assert found.unknown == sum(bool(case.ownership.unknown[url]) for url in urls)
    assert found.misplaced == sum(case.ownership.seed_owners[url] != rank for rank, url in pairs)


@settings(deadline=None, derandomize=True)
@given(cases(), st.integers(0, 3))
def test_what_is_accepted_is_what_an_estimate_discovers(case: Case, replicated: int) -> None:
    settings_ = ReplaySettings(2, case.settings.mode, replicated)
    course = estimate(case.recording, case.ownership, settings_)
    ranks = [rank for rank, _ in accepted_pairs(case, course, settings_)]
    assert course.discovered.tolist() == np.bincount(ranks, minlength=course.ranks).tolist()
