"""docs/scale.json and what is made of it: docs/scale.md and its plots."""

import json
from typing import Any

from scripts.irlbot.figures import page_figures, paper_figures
from scripts.irlbot.plots import plot
from scripts.irlbot.report import as_markdown
from scripts.shared.doc_tables import ROOT
from sessions.version import software_version

_JSON = ROOT / "docs" / "scale.json"


def renewed() -> dict[str, Any]:
    """The figures kept so far, by section; those that are computed and not measured are computed anew."""
    kept: dict[str, Any] = json.loads(_JSON.read_text()) if _JSON.exists() else {}
    software = f"cutweb {software_version()}"
    return {**kept, "paper": paper_figures(), "page": page_figures(), "software": software}


def keep_in_scale(section: str, figures: dict[str, Any]) -> None:
    """Put new figures in place of a section's, and write the page again."""
    write({**renewed(), section: figures})


def write(figures: dict[str, Any]) -> None:
    """Write the figures, the page and the plots."""
    page = as_markdown(figures)
    _JSON.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n")
    (ROOT / "docs" / "scale.md").write_text(page)
    plot(ROOT / "docs")
