"""LOG_JSON: each process of the service is run, and every line it writes is one JSON object."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests
from django.db import connection

from provisioning.models import Heartbeat
from tests.jobs.broker import Broker
from tests.jobs.workers import ROOT, WORKER, beat, environment, process, runjobs, until
from tests.run import free_port

SETTINGS = {"LOG_JSON": "true", "LOG_LEVEL": "INFO"}


def lines(log: Path) -> list[dict[str, Any]]:
    said = [json.loads(line) for line in log.read_text().splitlines() if line]
    assert said, "a process that says nothing proves nothing"
    assert all({"timestamp", "level", "event"} <= line.keys() for line in said)
    return said


def end(started: subprocess.Popen[bytes]) -> None:
    started.send_signal(signal.SIGTERM)
    assert started.wait(timeout=60) == 0


def test_gunicorn(transactional_db: None, tmp_path: Path) -> None:
    log, port = tmp_path / "log", free_port()
    words = (
        "-m",
        "gunicorn",
        "-c",
        "python:provisioning.gunicorn",
        "provisioning.wsgi",
        "--bind",
        f"127.0.0.1:{port}",
    )
    with process(*words, log=log, STATE_DIR=str(tmp_path), METRICS_NETWORKS="127.0.0.1", **SETTINGS) as site:
        url = f"http://127.0.0.1:{port}"
        until(lambda: "Booting worker" in log.read_text() and _answers(url), 60, "it answers", log)
        for _ in range(20):  # both processes
            requests.get(f"{url}/livez?token=secret", timeout=30)
        requests.get(f"{url}/no/such/page", timeout=30)
        said = requests.get(f"{url}/metrics", timeout=30).text
        end(site)
    assert 'status="200",view="web:livez"} 2' in said, "counted by whichever process is asked"
    found = {(line.get("path"), line.get("status")) for line in lines(log)}
    assert {("/livez", 200), ("/no/such/page", 404)} <= found
    assert "secret" not in log.read_text()
    assert not connection.in_atomic_block


def _answers(url: str) -> bool:
    try:
        return requests.get(f"{url}/livez", timeout=2).ok
    except requests.RequestException:
        return False


@pytest.mark.redis
def test_celery_and_a_stand_in(transactional_db: None, tmp_path: Path, broker: Broker) -> None:
    log = tmp_path / "log"
    quick = {"CELERY_BROKER_URL": broker.url, "BROKER_PATIENCE_SECONDS": "0.5", **SETTINGS}
    with (
        process(*WORKER, log=log, **quick) as worker,
        process(*beat(tmp_path, "--quiet"), log=log, **quick) as clock,
    ):
        until(lambda: Heartbeat.objects.filter(kind="tick").exists(), 60, "a tick", log)
        broker.kill()
        until(lambda: "runjobs@" in _names(), 60, "somebody stands in", log)
        broker.start()
        until(lambda: "runjobs@" not in _names(), 60, "and is gone", log)
        end(worker)
        end(clock)
    assert any("Warm shutdown" in line["event"] for line in lines(log))


def _names() -> str:
    return " ".join(Heartbeat.objects.values_list("name", flat=True))


def test_runjobs_a_warning_and_the_last_words_of_a_process(transactional_db: None, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with runjobs(log, **SETTINGS) as jobs:
        until(lambda: Heartbeat.objects.filter(kind="tick").exists(), 60, "a tick", log)
        end(jobs)
    program = (
        "import django, warnings, logging; django.setup(); warnings.warn('odd'); logging.getLogger('django').error('%d', 7)\n"
        "raise ValueError('two\\nlines')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment(**SETTINGS),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    other = tmp_path / "other"
    other.write_text(done.stderr)
    warned, error, last = lines(other)
    assert "odd" in warned["event"]
    assert (error["event"], error["logger"], error["level"]) == ("7", "django", "error")
    assert "ValueError: two\nlines" in last["exception"]
    assert any(line["event"].endswith("done.") for line in lines(log))
