"""Write the table of keys in docs/rules.md from where they are declared: `make options`."""

from crawler.site_rules.rule_keys import KEYS
from crawler.site_rules.target import TARGETS
from scripts.shared.doc_tables import keep, table

DOCUMENT = "rules.md"
MARK = "rule_keys"


def as_table() -> str:
    """Return the table."""
    rows = (
        [f"`{name}`", "any" if key.targets == tuple(TARGETS) else ", ".join(key.targets), key.means]
        for name, key in KEYS.items()
    )
    return table(["key", "on", "meaning"], rows)


if __name__ == "__main__":
    keep(DOCUMENT, MARK, as_table())
