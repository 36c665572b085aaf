"""After which answers to a HEAD a GET follows."""

import pytest

from crawler.pages.content_type import is_html, may_be_html
from crawler.pages.link_verification import HTML, STRICT, refusal

PDF = "application/pdf"
PAGE = "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("status", "content_type", "usual", "strict"),
    [
        (200, PAGE, "", ""),
        (200, "Text/HTML", "", ""),
        (200, "application/xhtml+xml", "", "head-type"),
        (200, None, "", "head-type"),
        (200, "nonsense", "", "head-type"),
        (200, "*/*", "", "head-type"),
        (200, PDF, "head-type", "head-type"),
        (200, "text/plain", "head-type", "head-type"),
        (206, PAGE, "", "head-206"),
        (204, PDF, "head-type", "head-204"),
        (301, PAGE, "", "head-301"),
        (302, PAGE, "", ""),
        (302, None, "", "head-type"),
        (302, PDF, "", "head-type"),
        (307, PDF, "", "head-307"),
        (400, PAGE, "head-400", "head-400"),
        (401, PAGE, "head-401", "head-401"),
        (403, PDF, "", "head-403"),
        (404, PAGE, "head-404", "head-404"),
        (405, None, "", "head-405"),
        (410, PAGE, "head-410", "head-410"),
        (429, PAGE, "head-429", "head-429"),
        (500, PDF, "", "head-500"),
        (501, None, "", "head-501"),
        (503, PAGE, "", "head-503"),
        (999, PAGE, "", "head-999"),
    ],
)
def test_why_no_get_follows(status: int, content_type: str | None, usual: str, strict: str) -> None:
    assert refusal(HTML, status, content_type) == usual
    assert refusal(STRICT, status, content_type) == strict


@pytest.mark.parametrize("content_type", [None, "", "html", PDF, PAGE, "application/xhtml+xml", "*/*", "image/svg+xml"])
def test_what_may_be_html_is_what_some_document_makes_html(content_type: str | None) -> None:
    assert may_be_html(content_type) == is_html(content_type, b"<html>")
