"""Nautobot beside us: installed into a virtual environment of its own, filled with circuits, its list of 100 rows timed.

What takes minutes (the installation, the migrations) is kept in the user's cache, outside of the repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from tests.run import find

VERSION = "3.2.7"
NAME = f"nautobot-{VERSION}"
ROWS = 5000
PER_PAGE = 100
_LIST = Path(__file__).with_name("nautobot_list.py")
_SETTINGS = """from nautobot.core.settings import *
SECRET_KEY = "a benchmark keeps no secret, but it has to have fifty characters"
ALLOWED_HOSTS = ["*"]
INSTALLATION_METRICS_ENABLED = False
"""


class Unavailable(Exception):
    """Nautobot cannot be measured here; the text is the end of the log that says why."""


def kept() -> Path:
    """The folder in the user's cache for this version under this Python."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "expedite-bench" / f"{NAME}-python{sys.version_info.major}.{sys.version_info.minor}"


def measure(directory: Path, database_url: str, redis_url: str) -> dict[str, dict[str, float]]:
    """Median wall and CPU seconds of its list of circuits: the page with its rows, and the rows alone.

    Its pages fetch their rows by a second request. Needs a PostgreSQL in which it may make a database, and a Redis.
    Raises Unavailable when it does not install or does not start.
    """
    folder = kept()
    folder.mkdir(parents=True, exist_ok=True)
    python = _installed(folder)
    environment = _environment(directory, database_url, redis_url)
    _database(folder, python, environment, database_url)
    words = [str(python), "-I", str(_LIST), str(ROWS), str(PER_PAGE)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(_end_of(done.stdout + done.stderr))
    found: dict[str, dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _installed(folder: Path) -> Path:
    python = folder / "venv" / "bin" / "python"
    if not (folder / "installed").exists():
        print(f"  installing {NAME} into {folder} ...", flush=True)
        _logged(folder, [sys.executable, "-m", "venv", "--clear", str(folder / "venv")], dict(os.environ))
        _logged(
            folder, [str(python), "-m", "pip", "install", "--quiet", f"nautobot=={VERSION}"], dict(os.environ)
        )
        (folder / "installed").touch()
    return python


def _environment(directory: Path, database_url: str, redis_url: str) -> dict[str, str]:
    root = directory / "nautobot"
    root.mkdir()
    (root / "nautobot_config.py").write_text(_SETTINGS)
    database, redis = urlsplit(database_url), urlsplit(redis_url)
    return {
        **{name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        "NAUTOBOT_ROOT": str(root),
        "NAUTOBOT_CONFIG": str(root / "nautobot_config.py"),
        "NAUTOBOT_DB_NAME": "nautobot",
        "NAUTOBOT_DB_USER": database.username or "",
        "NAUTOBOT_DB_HOST": database.hostname or "",
        "NAUTOBOT_DB_PORT": str(database.port),
        "NAUTOBOT_REDIS_HOST": redis.hostname or "",
        "NAUTOBOT_REDIS_PORT": str(redis.port),
    }


def _database(folder: Path, python: Path, environment: dict[str, str], database_url: str) -> None:
    """An empty Nautobot's database: from the cache, else by its migrations (four minutes of CPU), and into the cache."""
    address = urlsplit(database_url)
    where = ["-h", str(address.hostname), "-p", str(address.port), "-U", str(address.username)]
    psql, dump = find("psql"), find("pg_dump")
    assert psql and dump, "come with the server"
    _logged(folder, [psql, *where, "-q", "-d", "postgres", "-c", "CREATE DATABASE nautobot"], environment)
    schema = folder / "empty.sql"
    if schema.exists():
        _logged(
            folder,
            [psql, *where, "-q", "-v", "ON_ERROR_STOP=1", "-d", "nautobot", "-f", str(schema)],
            environment,
        )
        return
    print(f"  migrating the database of {NAME} ...", flush=True)
    server = python.with_name("nautobot-server")
    _logged(folder, [str(server), "migrate", "--verbosity", "0"], environment)
    part = schema.with_suffix(".part")
    _logged(folder, [dump, *where, "--no-owner", "-f", str(part), "nautobot"], environment)
    part.rename(schema)


def _logged(folder: Path, words: list[str], environment: dict[str, str]) -> None:
    log = folder / "log"
    with log.open("ab") as written:
        status = subprocess.run(words, env=environment, stdout=written, stderr=written).returncode
    if status:
        raise Unavailable(_end_of(log.read_text(errors="replace")))


def _end_of(text: str) -> str:
    return "\n".join(text.splitlines()[-15:])
