"""What ranks sent each other, by pair, as the exchanges table has it."""

from sessions.session import Session


def sent_by_pair(session: Session) -> dict[str, list[list[int]]]:
    """The sums of ``urls``, ``numbers`` and ``bytes``, K lists of K each: by sender, then by receiver."""
    sums = {name: [[0] * session.ranks for _ in range(session.ranks)] for name in ("urls", "numbers", "bytes")}
    for row in session.read("exchanges").to_pylist():
        for name, by_pair in sums.items():
            by_pair[row["rank"]][row["receiver"]] += row[name]
    return sums
