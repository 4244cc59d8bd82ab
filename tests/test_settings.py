"""What can be said of the settings without knowing their values."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

from django.conf import settings

from provisioning import celery

SOURCE = Path(__file__).resolve().parent.parent / "provisioning" / "settings.py"


def test_no_setting_is_set_twice() -> None:
    names = Counter(
        target.id
        for statement in ast.parse(SOURCE.read_text()).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    )
    assert len(names) > 50
    assert [name for name, times in names.items() if times > 1] == []


def test_beat_writes_beside_the_other_state() -> None:
    assert Path(celery.app.conf.beat_schedule_filename).parent == Path(settings.STATE_DIR)


COOKIES = """
import json
from provisioning import settings
names = ("SESSION_COOKIE", "CSRF_COOKIE", "MESSAGES_COOKIE")
print(json.dumps({name: getattr(settings, f"{name}_NAME") for name in names}))
print(json.dumps([settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, settings.SESSION_COOKIE_HTTPONLY,
                  settings.CSRF_COOKIE_HTTPONLY, settings.DEBUG]))
"""


def test_over_tls_no_cookie_can_come_from_another_host(tmp_path: Path) -> None:
    said = {**os.environ, "HTTPS": "true", "EXPEDITE_ENV_FILE": os.devnull, "STATE_DIR": str(tmp_path)}
    said.pop("DEBUG", None)
    done = subprocess.run(
        [sys.executable, "-c", COOKIES],
        env=said,
        cwd=SOURCE.parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    names, flags = map(json.loads, done.stdout.splitlines())
    assert {name.partition("-")[0] for name in names.values()} == {"__Host"} and len(set(names.values())) == 3
    assert flags == [True, True, True, True, False]
