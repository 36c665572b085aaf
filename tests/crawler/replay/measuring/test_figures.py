"""The registry of a replay's figures."""

from crawler.replay.measuring.figures import BY_NAME, FIGURES, IMPORTANCES, QUALITY_PERCENT, quality_name


def test_names_and_titles_are_distinct_and_meanings_are_sentences() -> None:
    assert len(BY_NAME) == len(FIGURES) == len({figure.title for figure in FIGURES})
    assert all(figure.meaning.endswith(".") for figure in FIGURES)


def test_quality_is_told_by_each_importance_and_percentage() -> None:
    wanted = {quality_name(name, percent) for name in IMPORTANCES for percent in QUALITY_PERCENT}
    assert wanted == {name for name in BY_NAME if "_quality_" in name}
