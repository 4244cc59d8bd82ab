"""What can be said of the settings without knowing their values."""

from __future__ import annotations

import ast
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
