"""The table of libcurl's error codes in the documents."""

from scripts.checks.curl_error_table import DOCUMENT, NAME, as_table
from scripts.shared.doc_tables import ROOT


def test_the_document_has_the_table() -> None:
    assert f"<!-- {NAME} -->\n{as_table()}<!-- /{NAME} -->\n" in (ROOT / "docs" / DOCUMENT).read_text()
