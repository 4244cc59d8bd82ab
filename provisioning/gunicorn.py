"""How gunicorn serves the site: `gunicorn -c python:provisioning.gunicorn provisioning.wsgi`.

What is set here can be set otherwise on the command line (`--bind`, `--workers`) or in GUNICORN_CMD_ARGS.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provisioning.settings")

from django.conf import settings

from provisioning.logs import for_gunicorn

bind = "127.0.0.1:8000"
worker_class = "gthread"
workers = 2
threads = settings.WEB_THREADS
# A worker that is told to stop answers what it has begun.
graceful_timeout = 30
control_socket_disable = True
# Two hundred ids, a cursor and every filter of a list fit into it; 4094, gunicorn's own, they do not. A longer one is a 414.
limit_request_line = 8190

if settings.LOG_JSON:
    accesslog = "-"
    logconfig_dict = for_gunicorn(settings.LOGGING)

# Where the processes of this site count together how long they take (`/metrics`); empty at every start.
_shared = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.STATE_DIR / "metrics")))


def on_starting(_server: Any) -> None:
    shutil.rmtree(_shared, ignore_errors=True)
    _shared.mkdir(parents=True)


def post_fork(_server: Any, worker: Any) -> None:
    """`--threads` may have said otherwise: how many may wait for events is half of what there is."""
    settings.WEB_THREADS = worker.cfg.threads


def child_exit(_server: Any, worker: Any) -> None:
    """What a worker that is gone has counted stays counted."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]
