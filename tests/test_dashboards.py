"""The dashboard and the alerts know the metrics that there are; promtool tries them where it is installed."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from crawler.monitoring.metrics import StatesCollector
from crawler.network.web import ERROR_KINDS
from scripts.grafana_dashboard import PATH, dashboard, queries
from tests.crawler.monitoring.support.states import NOTHING

ROOT = Path(__file__).resolve().parents[1]
ALERTS = ROOT / "dashboards" / "alerts.yml"
TRIALS = ROOT / "dashboards" / "alerts-test.yml"
SERVED_ELSEWHERE = {"cutweb_silent_seconds", "cutweb_standstill_seconds"}
"""What ranks that hang, or a network that is cut, make appear (`crawler.monitoring.presence`)."""
METRIC = re.compile(r"\bcutweb_[a-z_]+")
LABELS = re.compile(r"by \(([a-z, ]+)\)|\{\{ ?(?:\$labels\.)?([a-z]+) ?\}\}")
LABEL_NAMES = {"rank", "kind", "host", "instance", "job"}


def served(tmp_path: Path) -> set[str]:
    """The names of all samples of a scrape."""
    collector = StatesCollector("run", "site-hash", session=tmp_path)
    collector.take([NOTHING], 0)
    return {sample.name for family in collector.collect() for sample in family.samples}


def test_the_dashboard_is_what_its_script_writes() -> None:
    assert json.loads(PATH.read_text()) == dashboard(), "python -m scripts.grafana_dashboard"


def test_dashboard_and_alerts_name_metrics_that_are_served(tmp_path: Path) -> None:
    names = served(tmp_path) | SERVED_ELSEWHERE
    asked = {name for text in (*queries(), ALERTS.read_text(), TRIALS.read_text()) for name in METRIC.findall(text)}
    assert asked <= names
    shown = {name for query in queries() for name in METRIC.findall(query)}
    assert names - shown == {"cutweb_run_info", "cutweb_run_seconds"}


def test_the_page_on_watching_has_every_metric(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "watching.md").read_text()
    assert {name for name in served(tmp_path) | SERVED_ELSEWHERE if f"`{name}`" not in page} <= SERVED_ELSEWHERE
    told = set(re.findall(r"^\| `(cutweb_[a-z_]+)` \|", page, re.MULTILINE))
    assert told <= served(tmp_path) | SERVED_ELSEWHERE


def test_labels_and_kinds_are_those_that_are_served() -> None:
    texts = [PATH.read_text(), ALERTS.read_text()]
    for text in texts:
        for grouped, named in LABELS.findall(text):
            assert set(filter(None, re.split(r"[ ,]+", f"{grouped} {named}"))) <= LABEL_NAMES
        assert set(re.findall(r'kind!?=\\?"([a-z-]+)', text)) <= set(ERROR_KINDS)


def test_every_alert_is_tried_when_it_fires_and_when_not_and_described() -> None:
    alerts = re.findall(r"alert: (\w+)", ALERTS.read_text())
    trials = TRIALS.read_text()
    page = (ROOT / "docs" / "watching.md").read_text()
    for alert in alerts:
        assert re.search(rf"alertname: {alert}\n +exp_alerts:", trials), alert
        assert f"alertname: {alert}}}" in trials, alert
        assert f"`{alert}`" in page


@pytest.fixture
def promtool() -> str:
    found = shutil.which("promtool")
    if found is None:
        pytest.skip("promtool is not installed: apt-get install prometheus")
    return found


def run(*words: str | Path) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_finds_the_rules_good_and_the_alerts_right(promtool: str) -> None:
    run(promtool, "check", "rules", ALERTS)
    run(promtool, "test", "rules", TRIALS)


def test_promtool_reads_every_query_of_the_dashboard(promtool: str, tmp_path: Path) -> None:
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries())]
    file = tmp_path / "queries.yml"  # JSON is YAML
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    run(promtool, "check", "rules", file)
