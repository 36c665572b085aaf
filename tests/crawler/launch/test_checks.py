"""All problems of a request are told at once."""

import pytest

from crawler.config.command_line import UsageError
from crawler.discovery.scope import ScopeError
from crawler.launch.checks import Checks
from sessions.session import SessionError


def refuse(*problems: str) -> int:
    if problems:
        raise UsageError(*problems)
    return 7


def fail(error: Exception) -> None:
    raise error


def test_what_is_in_order_is_returned() -> None:
    checks = Checks()
    assert checks.run(refuse) == 7
    checks.refuse()


def test_problems_are_told_together_each_once() -> None:
    checks = Checks()
    assert checks.run(refuse, "a", "b") is None
    checks.run(fail, SessionError("c"))
    checks.run(fail, ScopeError("a"))
    with pytest.raises(UsageError) as caught:
        checks.refuse()
    assert caught.value.problems == ("a", "b", "c")
    assert str(caught.value) == "a; b; c"


def test_what_nobody_foresaw_is_not_kept() -> None:
    with pytest.raises(ZeroDivisionError):
        Checks().run(fail, ZeroDivisionError())
