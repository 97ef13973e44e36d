"""Dashboard and alert rules: they name only metrics that exist, promtool likes them, and each alert can fire."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scoville_server.observation.metrics_settings import MetricsSettings
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.server.observation.drills import DRILLS, Drilled, run_drill
from tests.server.observation.scrape import Scrape, request_page, scrape_port
from tests.support.tree import ROOT

FOLDER = ROOT / "packaging" / "monitoring"
ALERTS = FOLDER / "alerts.yml"
DASHBOARD = FOLDER / "grafana-dashboard.json"
PAGE = ROOT / "docs" / "monitoring.md"
PROMTOOL = shutil.which("promtool")
NO_PROMTOOL = "promtool is not installed; Debian has it in the package prometheus"
NAME = re.compile(r"\b(?:scoville|process)_\w+")
STEADY_MINUTES, DRILL_MINUTES = 30, 60

with_promtool = pytest.mark.skipif(PROMTOOL is None, reason=NO_PROMTOOL)


def alerts() -> dict[str, str]:
    """Return the expression of each alert; the file is written so that lines are enough."""
    found = re.findall(r"- alert: (\w+)\n\s+expr: (.+)", ALERTS.read_text(encoding="utf-8"))
    return dict(found)


def board() -> dict[str, Any]:
    return dict(json.loads(DASHBOARD.read_text(encoding="utf-8")))


def board_expressions() -> Iterator[str]:
    for panel in board()["panels"]:
        for target in panel.get("targets", ()):
            yield target["expr"]


def titles() -> list[str]:
    return [panel["title"] for panel in board()["panels"] if panel["type"] != "row"]


async def scrape_new_server(data: Path) -> Scrape:
    metrics = MetricsSettings(listen="127.0.0.1:0")
    server = Server(Settings(host="127.0.0.1", port=0, data=data, metrics=metrics))
    await server.start()
    try:
        return await scrape_port(server.monitoring_port)
    finally:
        await server.close()


async def test_expressions_name_only_existing_metrics(tmp_path: Path) -> None:
    scrape = await scrape_new_server(tmp_path / "data")
    values = {f'{name}="{value}"' for _, labels in scrape.series for name, value in labels}

    for expression in (*alerts().values(), *board_expressions()):
        names = set(NAME.findall(expression))
        assert names or expression.startswith("up{"), f"{expression} names no metric"
        assert names <= scrape.names, expression
        chosen = re.findall(r'\b(?!job|instance)\w+="[^"]*"', expression)
        assert set(chosen) <= values, expression


async def test_every_metric_is_on_the_page(tmp_path: Path) -> None:
    scrape = await scrape_new_server(tmp_path / "data")
    described = set(NAME.findall(PAGE.read_text(encoding="utf-8")))
    names = {re.sub(r"_(bucket|count|sum)$", "", name) for name in scrape.names}

    assert sorted(names - described) == [], "metrics that docs/monitoring.md does not name"
    assert sorted(described - names - scrape.names) == [], "names of metrics in docs/monitoring.md that do not exist"


def test_every_graph_and_alert_has_a_paragraph() -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [name for name in (*titles(), *alerts()) if f"**{name}**" not in page]
    assert missing == []


def test_every_alert_has_an_action_and_a_drill() -> None:
    text = ALERTS.read_text(encoding="utf-8")
    assert text.count("action:") == text.count("summary:") == text.count("severity:") == len(alerts())
    assert {*DRILLS, "ScovilleDown"} == {*alerts()}


def test_panels_do_not_overlap() -> None:
    taken: dict[tuple[int, int], str] = {}
    for panel in board()["panels"]:
        at = panel["gridPos"]
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            assert taken.setdefault(cell, panel["title"]) == panel["title"], panel["title"]
            assert cell[0] < 24
    numbers = [panel["id"] for panel in board()["panels"]]
    assert len(numbers) == len({*numbers})


# --- with promtool ------------------------------------------------------------------------------------------


def run_promtool(*arguments: str | Path, page: str = "") -> subprocess.CompletedProcess[str]:
    assert PROMTOOL is not None
    return subprocess.run([PROMTOOL, *map(str, arguments)], input=page, text=True, capture_output=True, check=False)


@with_promtool
def test_promtool_finds_no_fault_in_the_rules() -> None:
    for arguments in (("check", "rules", ALERTS), ("check", "config", FOLDER / "prometheus.yml")):
        done = run_promtool(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr


@with_promtool
async def test_promtool_finds_no_fault_in_the_metrics(tmp_path: Path) -> None:
    metrics = MetricsSettings(listen="127.0.0.1:0")
    server = Server(Settings(host="127.0.0.1", port=0, data=tmp_path / "data", metrics=metrics))
    await server.start()
    _, page = await request_page(server.monitoring_port)
    await server.close()

    done = run_promtool("check", "metrics", page=page)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def format_series(drilled: Drilled) -> list[dict[str, str]]:
    """Write the figures as promtool's series: half an hour as before the drill, then the drill again every minute."""
    series = []
    for (name, labels), before in drilled.before.series.items():
        after = drilled.after.series[name, labels]
        grows = name.endswith(("_total", "_bucket", "_count", "_sum"))
        then = f"{before}+{after - before}x{DRILL_MINUTES}" if grows else f"{after}+0x{DRILL_MINUTES}"
        written = {**dict(labels), "job": "scoville", "instance": "cards:9757"}
        inside = ", ".join(f"{key}={json.dumps(value)}" for key, value in written.items())
        series.append({"series": f"{name}{{{inside}}}", "values": f"{before}+0x{STEADY_MINUTES} {then}"})
    return series


def write_rule_test(path: Path, alert: str, series: list[dict[str, str]], steady_minutes: int = STEADY_MINUTES) -> None:
    """Write a test of the rules: nothing fires before the drill, and the alert does at its end. JSON is YAML."""
    firing = 'count(ALERTS{alertname="%s", alertstate="firing"})'
    asked = [
        {"expr": firing % alert, "eval_time": f"{max(0, steady_minutes - 1)}m", "exp_samples": []},
        {
            "expr": firing % alert + " > bool 0",
            "eval_time": f"{STEADY_MINUTES + DRILL_MINUTES - 1}m",
            "exp_samples": [{"labels": "{}", "value": 1}],
        },
    ]
    tests = [{"interval": "1m", "input_series": series, "promql_expr_test": asked}]
    whole = {"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": tests}
    path.write_text(json.dumps(whole), encoding="utf-8")


STEADY_STATE = {"ScovilleMemoryHigh"}
"""Alerts whose drill is a setting: they fire from the start."""


@pytest.mark.parametrize("alert", sorted(DRILLS))
async def test_each_alert_fires_in_a_drill(alert: str, tmp_path: Path) -> None:
    drilled = await run_drill(tmp_path / "data", DRILLS[alert])
    moved = {
        name
        for (name, labels), value in drilled.after.series.items()
        if drilled.before.series[name, labels] != value or alert in STEADY_STATE
    }
    assert moved & set(NAME.findall(alerts()[alert])), "the drill has moved none of the alert's metrics"
    if PROMTOOL is None:
        pytest.skip(NO_PROMTOOL)
    rules = tmp_path / "test.yml"
    write_rule_test(rules, alert, format_series(drilled), steady_minutes=0 if alert in STEADY_STATE else STEADY_MINUTES)

    done = run_promtool("test", "rules", rules)

    assert done.returncode == 0, done.stdout + done.stderr


@with_promtool
def test_a_server_that_does_not_answer_fires(tmp_path: Path) -> None:
    values = f"1+0x{STEADY_MINUTES} 0+0x{DRILL_MINUTES}"
    series = [{"series": 'up{job="scoville", instance="cards:9757"}', "values": values}]
    write_rule_test(tmp_path / "test.yml", "ScovilleDown", series)
    done = run_promtool("test", "rules", tmp_path / "test.yml")
    assert done.returncode == 0, done.stdout + done.stderr
