"""What a command costs before and beside its deed: CPU of a process that answers, beside a bare set-up with auth."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.timing import Row, side_by_side

BARE = "import django; django.setup(); import django.contrib.auth.models"
WISH = (
    "--from", "DFN@de6:POS1/0", "--to", "GRNET@gr6:POS2/0", "--rate", "1M", "--bucket", "15000",
    "--source-prefix", "2001:638:1::/48", "--destination-prefix", "2001:648:2::/48",
)  # fmt: skip
ASKED = ("ask", "--as", "nora", *WISH, "--contact", "noc@example.org")
REFUSED: dict[str, tuple[str, ...]] = {
    "nobody of that name": ("what_if", "--as", "nobody", *WISH),
    "no such change": ("push", "CHG-9", "--as", "nora"),
    "no such request": ("plan", "--request", "PIP-99999", "--as", "nora", "--reason", "again"),
}
DONE: dict[str, tuple[str, ...]] = {
    "a list": ("capacity",),
    "what if": ("what_if", "--as", "nora", *WISH),
    "ask": ASKED,
    "refuse": ("refuse", "PIP-{}", "--as", "niels", "--reason", "not this year"),
    "withdraw": ("withdraw", "PIP-{}", "--as", "nora", "--reason", "not needed"),
}
ROUNDS = 9


def cpu_of_children() -> float:
    """CPU seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run() -> Iterator[Row]:
    """Each command in a process of its own over the 6NET network on SQLite. The ratio is what of its CPU is the bare set-up's:
    0.64 of 0.8 s is 0.3 s more than the 0.5 s of the set-up.
    """
    with tempfile.TemporaryDirectory(prefix="expedite-bench-") as name:
        environment = {
            **os.environ,
            "DEBUG": "true",
            "DATABASE_URL": f"sqlite:///{name}/db.sqlite3",
            "STATE_DIR": name,
            "DJANGO_SETTINGS_MODULE": "provisioning.settings",
            "PYTHONDONTWRITEBYTECODE": "",  # as where it is installed: modules are compiled once
            "PYTHONPYCACHEPREFIX": f"{name}/bytecode",
            "PYTHONPATH": str(Path.cwd()),
        }

        def process(*words: str, ends: tuple[int, ...] = (0,)) -> None:
            done = subprocess.run([sys.executable, *words], env=environment, check=False, capture_output=True)
            assert done.returncode in ends, (words, done.stderr)

        def manage(words: tuple[str, ...], ends: tuple[int, ...] = (0,)) -> Callable[[], object]:
            return lambda: process("manage.py", *words, ends=ends)

        for words in (
            ("migrate", "-v", "0"),
            ("import_inventory", "6net"),
            ("person", "nora", "--role", "noc"),
            ("person", "niels", "--role", "noc"),  # whoever asked does not decide
        ):
            manage(words)()
        rows = iter(range(1, 10_000))
        for _ in range(2 * (ROUNDS + 1)):
            manage(ASKED)()

        def on_another(words: tuple[str, ...]) -> Callable[[], object]:
            def deed() -> object:
                row = next(rows)
                return manage(tuple(word.format(row) for word in words))()

            return deed

        deeds = {what: manage(words, ends=(1, 2)) for what, words in REFUSED.items()}
        for what, words in DONE.items():
            deeds[what] = on_another(words) if any("{}" in word for word in words) else manage(words)
        bare = {"bare": lambda: process("-c", BARE)}
        for what, deed in deeds.items():
            yield side_by_side(what, deed, bare, rounds=ROUNDS, clock=cpu_of_children)
