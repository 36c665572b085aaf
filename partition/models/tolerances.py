"""Tolerances of several weights, in words."""

from collections.abc import Mapping, Sequence


def tolerances_in_words(tolerances: Mapping[str, float]) -> str:
    """Return the tolerances, by name of the weight, as a phrase: "5% of storage and of requests, 10% of links"."""
    names: dict[float, list[str]] = {}
    for name, tolerance in tolerances.items():
        names.setdefault(tolerance, []).append(f"of {name}")
    return ", ".join(f"{100 * tolerance:g}% {_enumerated(alike)}" for tolerance, alike in names.items())


def imbalances_in_words(imbalances: Mapping[str, float], balanced: Sequence[str]) -> str:
    """Return the imbalance of each weight, balanced or not, as a phrase: "1.2% of bytes, 30.0% of links (...)"."""
    return ", ".join(
        f"{imbalance:.1%} of {unit}{'' if unit in balanced else ' (not balanced)'}"
        for unit, imbalance in imbalances.items()
    )


def _enumerated(names: list[str]) -> str:
    """The names, the last joined by "and"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
