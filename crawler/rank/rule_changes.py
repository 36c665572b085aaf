"""Following a file of rules while a crawl goes on: rank 0 reads it when it has changed, and all ranks keep to it."""

from collections.abc import Callable
from pathlib import Path

from crawler.launch.rule_checks import PlannedRules
from crawler.monitoring.events import say
from crawler.process.terminal import tell
from crawler.site_rules.rule_file import RuleFileError, SiteRule, rules_in, text_of_rules
from crawler.site_rules.rule_keys import as_recorded
from crawler.site_rules.rule_proxies import promises
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.rule_records import record_rules

_Signature = tuple[int, int, int]


def first_rules(planned: PlannedRules | None) -> RulesInForce:
    """The rules that hold at first."""
    return RulesInForce(rules_in(planned.text, str(planned.file)) if planned is not None else ())


class RuleChanges:
    """A topic of `crawler.exchange.announcements`: the file in which ``planned`` stood.

    ``session`` is the folder in which rank 0 records each change; ``superstep`` counts those that have ended.  A file
    that is wrong, or gone, changes nothing, and is told of once.
    """

    def __init__(
        self, planned: PlannedRules, rules: RulesInForce, session: Path, run: str, superstep: Callable[[], int]
    ) -> None:
        self._file = planned.file
        self._text = planned.text
        self._rules = rules
        self._session = session
        self._run = run
        self._superstep = superstep
        self._seen: _Signature | None = None
        self._is_read = False
        self._problems: tuple[str, ...] = ()

    def begin(self) -> None:
        """On rank 0: record the rules that hold at first."""
        self._record(self._text, self._rules.book.rules)

    def news(self) -> bytes | None:
        if not self._may_have_changed():
            return None
        try:
            text = text_of_rules(self._file)
            rules = rules_in(text, str(self._file)) if text != self._text else None
        except RuleFileError as error:
            self._refuse(error.problems)
            return None
        self._problems = ()
        if rules is None:
            return None
        tell(*(f"cutweb crawl: {promise}" for promise in self._new_promises(rules)), err=True)
        self._record(text, rules)
        self._text = text
        return text.encode()

    def hear(self, news: bytes) -> None:
        rules = rules_in(news.decode(), str(self._file))
        self._rules.change(rules)
        say("rules changed", file=str(self._file), rules=len(rules), superstep=self._superstep())

    def _may_have_changed(self) -> bool:
        """Has the file changed since it was read?  Of two changes in one tick of its clock both are read."""
        try:
            found = self._file.stat()
            signature = found.st_mtime_ns, found.st_size, found.st_ino
        except OSError:
            signature = None
        if signature == self._seen and self._is_read:
            return False
        self._is_read, self._seen = signature == self._seen, signature
        return True

    def _new_promises(self, rules: tuple[SiteRule, ...]) -> list[str]:
        """What is to be said of proxies that has not been said."""
        said = promises(self._rules.book.rules)
        return [promise for promise in promises(rules) if promise not in said]

    def _refuse(self, problems: tuple[str, ...]) -> None:
        if problems != self._problems:
            self._problems = problems
            for problem in problems:
                say("rules refused", problem=problem)
            tell(*(f"cutweb crawl: {problem}" for problem in problems), err=True)
            tell(f"cutweb crawl: {self._file} is not used as it is now; the rules before it hold on", err=True)

    def _record(self, text: str, rules: tuple[SiteRule, ...]) -> None:
        rows = [(*rule.target, rule.line, as_recorded(rule.values)) for rule in rules]
        record = record_rules(self._session, self._run, self._superstep(), self._file, text, rows)
        say("rules recorded", number=record["number"], file=str(self._file), rules=len(rules))
