"""A changed file of rules read again says what reading it whole says."""

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.site_rules import changed_file
from crawler.site_rules.changed_file import ReadFile, read_again
from crawler.site_rules.rule_file import RuleFileError, SiteRule, rules_in

TABLES = st.builds(
    "{}[[rule]]\n{} = {!r}\n{}\n".format,
    st.sampled_from(["", "\n", "  ", "# of [[rule]]\n"]),
    st.sampled_from(["site", "domain"]),
    st.sampled_from(["a.example", "b.example", "c.example", "d.example", "e.example", "not a site"]),
    st.sampled_from(
        [
            "block = true",
            "delay = 5",
            "delay = 50",
            "delay = x",
            'note = """\n[[rule]]\n"""',
            "headers = {A = 'b'}",
            "[",
        ]
    ),
)
PIECES = st.one_of(
    TABLES, TABLES, TABLES, st.sampled_from(["[rule.headers]\nA = 'b'\n", "delay = 3\n", "x\n", '"""\n', "#"])
)
TEXTS = st.lists(PIECES, max_size=6)


def said(text: str) -> "tuple[SiteRule, ...] | str":
    try:
        return rules_in(text, "rules.toml")
    except RuleFileError as error:
        return str(error)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_is_read_again_is_what_is_read_whole(
    head: list[str], old: list[str], new: list[str], tail: list[str]
) -> None:
    texts = ["".join([*head, *middle, *tail]) for middle in (old, new)]
    before, expected = map(said, texts)
    if isinstance(before, str):
        return
    try:
        found: tuple[SiteRule, ...] | str = read_again(ReadFile(texts[0], before), texts[1], "rules.toml").rules
    except RuleFileError as error:
        found = str(error)
    assert found == expected


@pytest.mark.parametrize("place", [0, 1, 500, 998, 999])
@pytest.mark.parametrize("text", ["", "[[rule]]\nsite = 'new.example'\nblock = true\n", "#[[rule]]\n"])
def test_of_many_rules_few_are_read_again(place: int, text: str) -> None:
    tables = [f"[[rule]]\nsite = 'w{number}.example'\ndelay = {number}\n" for number in range(1000)]
    before = ReadFile("".join(tables), rules_in("".join(tables), "rules.toml"))
    after = "".join([*tables[:place], text, *tables[place + 1 :]])
    whole = rules_in(after, "rules.toml")
    read: list[int] = []

    def counted(part: str, name: str) -> tuple[SiteRule, ...]:
        read.append(len(part))
        return rules_in(part, name)

    with patch.object(changed_file, "rules_in", counted):
        assert read_again(before, after, "rules.toml") == ReadFile(after, whole)
    assert place == 0 or sum(read) < 300
