"""Write the table of libcurl's error codes into docs/politeness.md: which requests are sent again after which."""

from crawler.network.curl_errors import CURL_ERRORS
from scripts.shared.doc_tables import keep, table

DOCUMENT = "politeness.md"
NAME = "curl_errors"


def as_table() -> str:
    """The codes that a request over HTTP can end with; the others in one row."""
    met = {code: error for code, error in CURL_ERRORS.items() if not (error.kind == "other" and error.is_hopeless)}
    rows = [
        (str(code), error.name, f"`{error.kind}`", "no" if error.is_hopeless else "yes", error.reason)
        for code, error in met.items()
    ]
    others = f"the other {len(CURL_ERRORS) - len(met)} up to {max(CURL_ERRORS)}"
    return table(
        ("code", "CURLE_", "told as", "sent again", "because"),
        [
            *rows,
            (others, "", "`other`", "no", "of other protocols, or errors of ours"),
            ("newer", "", "`other`", "yes", "not known"),
        ],
    )


if __name__ == "__main__":
    keep(DOCUMENT, NAME, as_table())
