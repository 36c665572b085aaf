"""What has no page in a recording is not asked for, for the same reason as then."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given, settings

from crawler.discovery.admission import ADMITTED
from crawler.replay.recordedweb.recorded_admission import RecordedAdmission
from crawler.replay.recording import NOT_RECORDED, recording_of
from sessions.schema import FILTERED
from sessions.session import Session
from sessions.url import url_hashes
from tests.crawler.replay.support.recorded import URLS, Drawn, Fetched, drawn, plain, write

STRANGE = "http://never.example/"


@settings(derandomize=True, deadline=None, max_examples=40)
@given(drawn())
def test_pages_are_admitted_and_the_others_refused_for_their_reasons(what: Drawn) -> None:
    with TemporaryDirectory() as folder:
        session = Session.open(write(Path(folder) / "session", what))
        admission, told = RecordedAdmission(recording_of(session.path)), plain(session)
        urls = [STRANGE, *URLS]
        codes = admission.codes(url_hashes(urls), urls)
        assert codes.dtype == np.uint8
        assert [code == ADMITTED for code in codes.tolist()] == [url in told.pages for url in urls]
        assert {
            url: admission.outcome(code) for url, code in zip(urls, codes.tolist(), strict=True) if code != ADMITTED
        } == {url: told.reasons.get(url, (FILTERED, NOT_RECORDED)) for url in urls if url not in told.pages}
        assert admission.is_everything == (not told.others)


def test_where_every_url_has_a_page_nothing_is_refused(tmp_path: Path) -> None:
    pages = [Fetched(url, 1, 0, 0, {}) for url in URLS]
    path = write(tmp_path / "session", Drawn(False, [URLS, []], [pages, []], [{}, {}]))
    assert RecordedAdmission(recording_of(path)).is_everything
