"""Write dashboards/grafana.json, the dashboard of a crawl for Grafana 9 or newer: `make alerts` does it, too.

python -m scripts.grafana_dashboard
"""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from scripts.shared.doc_tables import ROOT

PATH = ROOT / "dashboards" / "grafana.json"
_WIDTH, _HEIGHT, _COLUMNS = 8, 8, 3
_OF_CRAWL = '{instance=~"$instance"}'
_SOURCE = {"type": "prometheus", "uid": "${source}"}


class Panel(NamedTuple):
    """A graph: its title, what it says, the unit in Grafana's words, and queries with what each line is called."""

    title: str
    says: str
    unit: str
    lines: tuple[tuple[str, str], ...]


PANELS = (
    Panel(
        "Pages",
        "A rank far below the others whose frontier is not empty lags behind.",
        "ops",
        (("rate(cutweb_pages_total{}[$__rate_interval])", "rank {{rank}}"),),
    ),
    Panel(
        "Received",
        "Bodies, and with a limit of bandwidth all that the interface saw.",
        "Bps",
        (
            ("sum(rate(cutweb_bytes_total{}[$__rate_interval]))", "bodies"),
            ("sum(rate(cutweb_network_bytes_total{}[$__rate_interval]))", "interface"),
        ),
    ),
    Panel("Frontier", "URLs that wait, by rank.", "short", (("cutweb_queued{}", "rank {{rank}}"),)),
    Panel(
        "Errors by kind",
        "Attempts without a useful answer; proxy says nothing of sites.",
        "ops",
        (("sum by (kind) (rate(cutweb_errors_total{}[$__rate_interval]))", "{{kind}}"),),
    ),
    Panel(
        "What became of URLs",
        "Fetched, failed after all retries, never requested.",
        "ops",
        (
            ("sum(rate(cutweb_pages_total{}[$__rate_interval]))", "fetched"),
            ("sum(rate(cutweb_failed_total{}[$__rate_interval]))", "failed"),
            ("sum(rate(cutweb_filtered_total{}[$__rate_interval]))", "filtered"),
        ),
    ),
    Panel(
        "Requests under way, and pages not recorded yet",
        "At most --connections; pages wait to learn whether their documents came before.",
        "short",
        (("cutweb_in_flight{}", "requests {{rank}}"), ("cutweb_waiting{}", "waiting {{rank}}")),
    ),
    Panel(
        "Standstill",
        "How long the superstep has taken by now; a rank's silence, and for how long all have waited for each other.",
        "s",
        (
            ("cutweb_superstep_seconds{}", "superstep"),
            ("cutweb_silent_seconds{}", "silent: rank {{rank}} on {{host}}"),
            ("cutweb_standstill_seconds{}", "no messages: {{host}}"),
        ),
    ),
    Panel(
        "Delays",
        "Debt: how long a site could have been visited already. Idle: the rank waits for delays. Held: for bandwidth.",
        "s",
        (
            ("cutweb_delay_debt_seconds{}", "debt {{rank}}"),
            ("avg_over_time(cutweb_idle{}[$__rate_interval])", "idle {{rank}}"),
            ("avg_over_time(cutweb_held{}[$__rate_interval])", "held {{rank}}"),
        ),
    ),
    Panel(
        "Share of the largest domain",
        "High in a crawl of many domains: a spider farm.",
        "percentunit",
        (("rate(cutweb_largest_domain_pages_total{}[30m]) / rate(cutweb_pages_total{}[30m])", "rank {{rank}}"),),
    ),
    Panel(
        "Processors",
        "Cores that each rank keeps busy.",
        "short",
        (("rate(cutweb_cpu_seconds_total{}[$__rate_interval])", "rank {{rank}}"),),
    ),
    Panel("Memory", "What each rank holds.", "bytes", (("cutweb_memory_bytes{}", "rank {{rank}}"),)),
    Panel(
        "Disk",
        "Room on the session's disk, and what an epoch has taken in the last hour.",
        "bytes",
        (
            ("cutweb_disk_free_bytes{}", "free"),
            (
                "sum(increase(cutweb_written_bytes_total{}[1h])) / clamp_min(sum(delta(cutweb_epoch{}[1h])), 1)",
                "an epoch",
            ),
        ),
    ),
    Panel(
        "Exchanges",
        "URLs and bytes between ranks.",
        "short",
        (
            ("sum(rate(cutweb_urls_sent_total{}[$__rate_interval]))", "URLs/s"),
            ("sum(rate(cutweb_wire_bytes_total{}[$__rate_interval]))", "bytes/s"),
            ("sum(cutweb_undelivered{})", "URLs not sent yet"),
        ),
    ),
    Panel(
        "Supersteps and epochs",
        "Flat lines: the crawl hangs.",
        "short",
        (
            ("rate(cutweb_supersteps_total{}[$__rate_interval])", "supersteps/s"),
            ("cutweb_epoch{}", "epoch"),
            ("cutweb_ranks{}", "ranks"),
            ("cutweb_paused{}", "paused"),
        ),
    ),
)


def queries() -> list[str]:
    """Return every query of the dashboard as Prometheus gets it, if an interval of five minutes is shown."""
    variables = {"$__rate_interval": "5m", "$instance": ".+"}
    asked = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    return [_replaced(query, variables) for query in asked]


def dashboard() -> dict[str, Any]:
    """Return the whole dashboard."""
    return {
        "title": "Cutweb",
        "uid": "cutweb",
        "tags": ["cutweb"],
        "schemaVersion": 37,
        "version": 1,
        "editable": True,
        "refresh": "10s",
        "time": {"from": "now-3h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": list(_variables())},
        "annotations": {"list": []},
        "panels": [_panel(number, panel) for number, panel in enumerate(PANELS)],
    }


def _variables() -> Iterator[dict[str, Any]]:
    yield {"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
    query = "label_values(cutweb_ranks, instance)"
    crawl = {"name": "instance", "type": "query", "label": "Crawl", "query": {"query": query, "refId": "instance"}}
    yield crawl | {"datasource": _SOURCE, "refresh": 2, "multi": True, "includeAll": True, "allValue": ".+"}


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    row, column = divmod(number, _COLUMNS)
    targets = [
        {
            "refId": chr(ord("A") + place),
            "datasource": _SOURCE,
            "expr": query.replace("{}", _OF_CRAWL),
            "legendFormat": name,
        }
        for place, (query, name) in enumerate(panel.lines)
    ]
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.says,
        "datasource": _SOURCE,
        "gridPos": {"x": column * _WIDTH, "y": row * _HEIGHT, "w": _WIDTH, "h": _HEIGHT},
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": 0}, "overrides": []},
        "options": {"tooltip": {"mode": "multi", "sort": "desc"}, "legend": {"displayMode": "list"}},
        "targets": targets,
    }


def _replaced(query: str, variables: dict[str, str]) -> str:
    for name, value in variables.items():
        query = query.replace(name, value)
    return query


if __name__ == "__main__":
    PATH.write_text(json.dumps(dashboard(), indent=2) + "\n", encoding="utf-8")
