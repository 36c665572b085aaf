"""Following a file of rules while a crawl goes on: rank 0 reads it when it has changed, and all ranks keep to it."""

from collections.abc import Callable
from pathlib import Path

from crawler.launch.rule_checks import PlannedRules
from crawler.monitoring.events import say
from crawler.process.terminal import tell
from crawler.site_rules.changed_file import ReadFile, read_again
from crawler.site_rules.rule_difference import RuleDifference
from crawler.site_rules.rule_file import RuleFileError, SiteRule, rules_in, text_of_rules
from crawler.site_rules.rule_keys import as_recorded
from crawler.site_rules.rule_proxies import promises
from crawler.site_rules.rules_in_force import RulesInForce
from sessions.rule_records import Held, Row, RuleLog, RuleRecord

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
        self._read = ReadFile(planned.text, rules.book.rules)
        self._rules = rules
        self._log = RuleLog(session, run)
        self._superstep = superstep
        self._seen: _Signature | None = None
        self._is_read = False
        self._problems: tuple[str, ...] = ()

    def begin(self) -> None:
        """On rank 0: record the rules that hold at first."""
        self._say_recorded(self._log.begin(self._held(self._read)))

    def news(self) -> bytes | None:
        if not self._may_have_changed():
            return None
        before = self._read
        try:
            text = text_of_rules(self._file)
            if text != before.text:
                self._read = read_again(before, text, str(self._file))
        except RuleFileError as error:
            self._refuse(error.problems)
            return None
        self._problems = ()
        if self._read is before:
            return None
        tell(*(f"cutweb crawl: {promise}" for promise in self._new_promises(self._read.rules)), err=True)
        self._record(RuleDifference(before.rules, self._read.rules))
        return text.encode()

    def hear(self, news: bytes) -> None:
        text = news.decode()
        if text != self._read.text:  # rank 0 has read it
            self._read = read_again(self._read, text, str(self._file))
        self._rules.change(self._read.rules)
        say("rules changed", file=str(self._file), rules=len(self._read.rules), superstep=self._superstep())

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

    def _record(self, difference: RuleDifference) -> None:
        gone, new = (list(map(_row, rules.values())) for rules in (difference.gone, difference.new))
        self._say_recorded(self._log.change(self._held(self._read), gone, new))

    def _held(self, read: ReadFile) -> Held:
        return Held(self._superstep(), self._file, read.text, len(read.rules), lambda: map(_row, read.rules))

    def _say_recorded(self, record: RuleRecord) -> None:
        say("rules recorded", number=record["number"], file=str(self._file), rules=record["held"])


def _row(rule: SiteRule) -> Row:
    return (*rule.target, rule.line, as_recorded(rule.values))
