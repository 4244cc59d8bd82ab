"""The API as a stranger calls it: `make soak ONLY=api`.

gunicorn with two processes on a PostgreSQL of this run, rows of one way and of both in every state, and schemathesis with all its
checks: each operation by itself and one after another (stateful), by a token of an NREN and by one of the NOC, until at least so
many cases were tried. No 5xx, no answer that is not described, none against its description. A case that was answered 401 counts
for nothing: the token itself may be revoked or rotated by what is tried, and is brought back within a moment (`kept_alive`).
"""

from __future__ import annotations

import argparse
import base64
import os
import secrets
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.run import postgresql
from tests.soak.api_verdict import Finding, answers, findings
from tests.soak.service_processes import Supervisor

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "var" / "soak"
ROLES = ("JANET", "noc")
_NOT_SIGNED_IN = 401
_COMPLETED = (0, 1)
"""What schemathesis ends with when it came to its end: nothing found, something found."""


def prepare(url: str, state: Path) -> None:
    """The settings that this process and gunicorn share, and the tables."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="provisioning.settings",
        EXPEDITE_ENV_FILE=os.devnull,
        STATE_DIR=str(state),
        DATABASE_URL=url,
        SECRET_KEY=secrets.token_urlsafe(50),
        CREDENTIAL_KEYS=base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
        TOKEN_PEPPER=secrets.token_urlsafe(32),
        ALLOWED_HOSTS="127.0.0.1,testserver",
        PUSH_ENABLED="false",
        API_RATE_USER="1000000/min",
        API_RATE_ANON="1000000/min",
    )
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def seed() -> dict[str, str]:
    """Rows of every kind in every state; the tokens by role."""
    from tests.api.conftest import speaking
    from tests.api.matrix import make
    from tests.api.test_true_of_rows import in_every_state

    texts, _ids = make()
    in_every_state(speaking(texts))
    return {name: text for name, text in texts.items() if text is not None}


@contextmanager
def served(folder: Path, port: int) -> Iterator[str]:
    """Gunicorn as it is shipped; its address."""
    address = f"http://127.0.0.1:{port}"
    units = Supervisor(folder)
    bind = ("--bind", f"127.0.0.1:{port}", "--workers", "2", "--worker-class", "gthread", "--threads", "4")
    units.start(
        "gunicorn", "-m", "gunicorn", "-c", "python:provisioning.gunicorn", "provisioning.wsgi", *bind
    )
    try:
        for _ in range(120):
            try:
                with urllib.request.urlopen(f"{address}/livez", timeout=5) as answer:
                    if answer.status == 200:
                        break
            except OSError:
                time.sleep(0.5)
        else:
            raise SystemExit(f"gunicorn does not answer: {(folder / 'gunicorn.log').read_text()[-2000:]}")
        yield address
    finally:
        units.end()


@contextmanager
def kept_alive(*texts: str) -> Iterator[None]:
    """Bring these tokens back whenever one was revoked or given an end: schemathesis calls that, too, and would else be
    told 401 from then on.
    """
    from django.db import connection

    from provisioning.models import ApiToken

    over = threading.Event()
    prefixes = [text.split("_")[1] for text in texts]

    def keep() -> None:
        try:
            while not over.wait(0.1):
                ApiToken.objects.filter(prefix__in=prefixes).exclude(revoked_at=None, expires_at=None).update(
                    revoked_at=None, expires_at=None
                )
        finally:
            connection.close()

    keeper = threading.Thread(target=keep, daemon=True)
    keeper.start()
    try:
        yield
    finally:
        over.set()
        keeper.join()


def tried(address: str, token: str, report: Path, *, examples: int, seed: int) -> int:
    """One run of schemathesis with so many examples an operation; returns its status."""
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{address}/api/schema/",
        "--url", address, "--header", f"Authorization:Bearer {token}",
        "--checks", "all", "--phases", "coverage,fuzzing,stateful", "--max-examples", str(examples),
        "--request-timeout", "60",  # who reads the log may wait 25 seconds
        "--seed", str(seed), "--continue-on-failure", "--suppress-health-check", "all", "--no-color",
        "--report", "ndjson", "--report-ndjson-path", str(report),
    ]  # fmt: skip
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def show(stand: list[Finding]) -> None:
    """Print the first finding of each kind, and how many there are of it."""
    kinds = Counter(each.kind for each in stand)
    shown = set()
    for each in stand:
        if each.kind not in shown:
            shown.add(each.kind)
            print(f"  {kinds[each.kind]} x {each.operation}: {each.check}, {each.status}", flush=True)
            print(f"    {each.said}\n    {each.request}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make soak ONLY=api", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="at least so many in all")
    parser.add_argument("--examples", type=int, default=40, help="of each operation in one run")
    parser.add_argument("--port", type=int, default=8471)
    parser.add_argument("--seed", type=int, default=46)
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    worst = cases = runs = 0
    with tempfile.TemporaryDirectory(prefix="soak-api-") as name:
        folder = Path(name)
        (folder / "state").mkdir()
        with postgresql(folder) as url:
            prepare(url, folder / "state")
            tokens = seed()
            with served(folder, options.port) as address, kept_alive(*(tokens[role] for role in ROLES)):
                while cases < options.cases:
                    role = ROLES[runs % len(ROLES)]
                    report = OUT / f"api-{role}-{runs}.ndjson"
                    status = tried(
                        address, tokens[role], report, examples=options.examples, seed=options.seed + runs
                    )
                    answered, stand = answers(report), list(findings(report))
                    count = answered.total() - answered[_NOT_SIGNED_IN]
                    if not count or status not in _COMPLETED:
                        raise SystemExit(f"schemathesis did not come to its end (status {status})")
                    worst, cases, runs = max(worst, bool(stand)), cases + count, runs + 1
                    told = " ".join(f"{code}:{number}" for code, number in sorted(answered.items()))
                    print(
                        f"{role}: {count} cases, {cases} in all, {len(stand)} findings ({told})", flush=True
                    )
                    show(stand)
    return worst


if __name__ == "__main__":
    raise SystemExit(main())
