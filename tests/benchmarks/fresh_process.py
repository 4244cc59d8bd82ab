"""A measurement in a process of its own, on a database of its own: nothing that was measured before is in its memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def measured_by(module: str, *words: str, directory: Path, url: str) -> Any:
    """What ``python -m module words`` prints as JSON in its last line, run on the PostgreSQL at ``url``.

    ``directory`` is where it keeps files. Raises CalledProcessError when it ends with an error.
    """
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "STATE_DIR": str(directory / "state"),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }
    done = subprocess.run(
        [sys.executable, "-m", module, *words], env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout.splitlines()[-1])
