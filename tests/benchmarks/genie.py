"""Genie beside us: its parser of `show policy-map interface`, in a virtual environment of its own, on the same texts.

What takes minutes (the installation) is kept in the user's cache, outside of the repository.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

VERSION = "26.9"
NAME = f"genie-{VERSION}"
_PACKAGES = (f"genie.libs.parser=={VERSION}", f"genie=={VERSION}", f"pyats=={VERSION}")
_SCRIPT = '''
import json, statistics, sys, time
from unittest.mock import Mock
from genie.libs.parser.iosxe.show_policy_map import ShowPolicyMapInterface

def packets(value):
    """The packets of every class, wherever its schema keeps them."""
    if not isinstance(value, dict):
        return []
    found = []
    for key, inside in value.items():
        if key == "class_map":
            for each in inside.values():
                found.append(each.get("packets"))
                found += packets(each)
        else:
            found += packets(inside)
    return found

said = []
for text, rounds in json.load(sys.stdin):
    took = []
    try:
        for _ in range(rounds):
            parser = ShowPolicyMapInterface(device=Mock())
            began = time.process_time()
            found = parser.parse(output=text)
            took.append(time.process_time() - began)
    except Exception as error:
        said.append({"error": f"{type(error).__name__}: {error}"[:120]})
        continue
    said.append({"seconds": statistics.median(took), "packets": packets(found)})
print(json.dumps(said))
'''


class Unavailable(Exception):
    """Genie cannot be measured here; the text is the end of the log that says why."""


def measure(texts: list[tuple[str, int]]) -> list[dict[str, object]]:
    """Of each text, parsed so many times: median CPU seconds and the packets of its classes, or the error it was refused by.

    Raises Unavailable when it does not install or does not start.
    """
    done = subprocess.run(
        [str(_installed()), "-I", "-c", _SCRIPT], input=json.dumps(texts), capture_output=True, text=True
    )
    if done.returncode:
        raise Unavailable(_end_of(done.stderr))
    found: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _installed() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "expedite-bench"
    folder = cache / f"{NAME}-python{sys.version_info.major}.{sys.version_info.minor}"
    python = folder / "venv" / "bin" / "python"
    if not (folder / "installed").exists():
        folder.mkdir(parents=True, exist_ok=True)
        print(f"  installing {NAME} into {folder} ...", flush=True)
        for words in (
            [sys.executable, "-m", "venv", "--clear", str(folder / "venv")],
            [str(python), "-m", "pip", "install", "--quiet", *_PACKAGES],
        ):
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode:
                raise Unavailable(_end_of(done.stdout + done.stderr))
        (folder / "installed").touch()
    return python


def _end_of(log: str) -> str:
    return " ".join(log.split())[-400:]
