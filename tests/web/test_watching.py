"""What ships for watching: alert rules that fire when they must, a dashboard and a page of figures that there are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from provisioning.web.views.metrics import FromRows

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy/prometheus/expedite.rules.yml"
DASHBOARD = ROOT / "deploy/grafana/expedite.json"
OF_HTTP = "expedite_http_request_duration_seconds"


@pytest.fixture
def exported(db: None, settings: Any) -> set[str]:
    settings.USAGE_SECONDS = 300
    return {
        family.name + ("_total" if family.type == "counter" else "") for family in FromRows().collect()
    } | {OF_HTTP}


def named(text: str) -> set[str]:
    return {re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\bexpedite_\w+", text)}


def expressions() -> list[str]:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len(panels) > 10
    return [target["expr"] for panel in panels for target in panel["targets"]]


def rules() -> list[dict[str, object]]:
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


@pytest.mark.parametrize(
    "words", [("check", "rules", RULES.name), ("test", "rules", "expedite.rules.test.yml")]
)
def test_prometheus_takes_the_rules_and_they_fire_when_they_must(words: tuple[str, ...]) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool: `make test` installs it (package prometheus)")
    done = subprocess.run([promtool, *words], cwd=RULES.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_rule_is_tested() -> None:
    tested = RULES.with_name("expedite.rules.test.yml").read_text()
    firing = set(re.findall(r"alertname: (\w+)\n\s+exp_alerts", tested))
    assert firing == {str(rule["alert"]) for rule in rules()}


def test_the_rules_watch_figures_that_there_are(exported: set[str]) -> None:
    watched = {name for rule in rules() for name in named(str(rule["expr"]))}
    assert watched and watched <= exported


def test_the_dashboard_shows_every_figure_and_no_other(exported: set[str]) -> None:
    assert {name for expression in expressions() for name in named(expression)} == exported


def test_prometheus_can_read_every_expression_of_the_dashboard(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool: `make test` installs it (package prometheus)")
    as_rules = [{"record": f"panel:{n}", "expr": text} for n, text in enumerate(expressions())]
    file = tmp_path / "panels.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": as_rules}]}))
    done = subprocess.run(
        [promtool, "check", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_describes_every_figure_and_no_other(exported: set[str]) -> None:
    page = (ROOT / "docs/howto/watch.md").read_text()
    assert set(re.findall(r"^\| `(expedite_\w+)` \|", page, flags=re.MULTILINE)) == exported
