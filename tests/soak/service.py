"""The whole service under load and faults: `make soak ONLY=service`.

PostgreSQL, Redis, two Celery workers and beat, gunicorn with two processes, practice routers over SSH, NRENs that ask over
HTTP, four people who decide and approve, hand edits, and faults at random. Then it comes to rest, and everything that was
told is held against the rows and against what the routers did.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.soak.service_run import SMALL, SMALLEST, Outcome, Size, Soak

OUT = Path(__file__).resolve().parents[2] / "var" / "soak"


@contextlib.contextmanager
def environment(folder: Path, tick: float) -> Iterator[Any]:
    """Servers of this run's own and the settings that all processes share; yields (broker, database)."""
    from tests.jobs.broker import own_broker
    from tests.run import postgresql
    from tests.soak.service_processes import PostgreSQL

    state = folder / "state"
    state.mkdir()
    with postgresql(folder) as url, own_broker() as broker:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="provisioning.settings",
            EXPEDITE_ENV_FILE=os.devnull,
            PYTHONUNBUFFERED="1",
            STATE_DIR=str(state),
            DATABASE_URL=url,
            CELERY_BROKER_URL=broker.url,
            SECRET_KEY=secrets.token_urlsafe(50),
            CREDENTIAL_KEYS=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            TOKEN_PEPPER=secrets.token_urlsafe(32),
            PUSH_ENABLED="true",
            API_RATE_USER="100000/min",
            API_RATE_ANON="100000/min",
            # A fault lasts for seconds here, not for minutes: what waits for one to be over waits for seconds, too.
            ROUTER_TIMEOUT_SECONDS="8",
            ROUTER_LEASE_SECONDS="10",
            JOB_LEASE_SECONDS="15",
            VERIFY_SECONDS="90",
            TICK_SECONDS=str(tick),
        )
        import django

        django.setup()
        yield broker, PostgreSQL(folder, url)


def soak(size: Size, folder: Path, say: Callable[[str], None]) -> Outcome:
    """One whole run in this folder."""
    with environment(folder, size.tick) as (broker, database):
        outcome = Soak(size, folder, broker, database, say).run()
        from django.db import connections

        connections.close_all()
        return outcome


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make soak ONLY=service", description=__doc__)
    parser.add_argument("--minutes", type=float, default=None, help="of load, 10 unless said")
    parser.add_argument("--seed", type=int, default=None, help="the same network, requests and moments again")
    parser.add_argument(
        "--small", action="store_true", help="6 routers, 20 requests, one minute, one of each fault"
    )
    parser.add_argument(
        "--smallest", action="store_true", help="3 routers, 10 requests, 20 seconds, 3 faults"
    )
    options = parser.parse_args(arguments)
    from tests.run import install_missing

    install_missing()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    size = SMALLEST if options.smallest else SMALL if options.small else Size()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    values: dict[str, Any] = {**size.__dict__, "seed": seed}
    if options.minutes is not None:
        values["seconds"] = options.minutes * 60
    OUT.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begun:6.0f} s  {text}", flush=True)

    print(f"service: seed {seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="expedite-soak-"))
    outcome = soak(Size(**values), folder, say)
    print(outcome.table())
    for each in outcome.waits[:10]:
        print(f"WAITS: {each}")
    for each in outcome.faults[:40]:
        print(f"FAULT: {each}")
    (OUT / "service.json").write_text(
        json.dumps(
            {
                "seed": seed,
                "counted": outcome.counted,
                "faults": outcome.faults,
                "declined": outcome.declined,
            },
            indent=1,
        )
        + "\n"
    )
    if outcome.faults:
        print(f"logs in {folder}")
    else:
        shutil.rmtree(folder)
        print("all of it holds")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
