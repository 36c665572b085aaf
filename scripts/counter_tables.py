"""Write the tables of counters in docs/formats.md from where the counters are declared: `make options`."""

from scripts.shared.doc_tables import keep, table
from sessions.counters import COUNTERS, Adds, Counter, Form

DOCUMENT = "formats.md"
_TYPES = {
    Form.COUNT: "int",
    Form.BALANCE: "int",
    Form.BY_NAME: "object",
    Form.BY_STATE: "object",
    Form.SECONDS: "number",
    Form.BY_STAGE: "object",
}


def tables() -> dict[str, str]:
    """Return the tables by their marks."""
    report = ([f"`{name}`", _TYPES[counter.form], _meaning(counter)] for name, counter in COUNTERS.items())
    figures = ([f"`{name}`", _total(counter)] for name, counter in COUNTERS.items() if name != "cpu")
    return {"report": table(["key", "type", "meaning"], report), "info": table(["key", "meaning"], figures)}


def _meaning(counter: Counter) -> str:
    of_runs = "; of a session's runs the largest" if counter.over_runs is Adds.LARGEST else ""
    was = ". In older sessions a list, by destination rank" if counter.was_by_rank else ""
    return counter.meaning + of_runs + was + (". Missing in older sessions: none" if counter.is_later else "")


def _total(counter: Counter) -> str:
    if counter.over_ranks is Adds.LARGEST:
        return f"{counter.meaning}; of all ranks the largest"
    return counter.meaning


if __name__ == "__main__":
    for mark, text in tables().items():
        keep(DOCUMENT, mark, text)
