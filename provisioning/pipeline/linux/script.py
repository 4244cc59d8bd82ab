"""Steps as a script to run on a router: by one at a time, and only while the router holds what the steps were worked out from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from provisioning.pipeline.linux.looking import LOCK
from provisioning.pipeline.linux.reading import HELD
from provisioning.pipeline.linux.steps import Step, shell
from provisioning.pipeline.linux.values import DEVICES, TABLE

_BARE: Final = f"""\
if nft list tables | grep -qx 'table inet {TABLE}' || ls /sys/class/net | grep -q '^{DEVICES}'; then
  echo "this router holds something of ours: read it, and compare" >&2
  exit 3
fi
"""


def script(steps: Sequence[Step], digest: str) -> str:
    """The script; `digest` is what the router said of itself when it was read, empty for one that holds nothing of ours.

    Its exit status is 0 when all is done; 3 when the router does not hold what was read, or another script runs, and nothing was
    changed; else that of the command that failed: what went before it stands.
    """
    guard = _BARE if not digest else (
        f'{HELD}if [ "$(held)" != {digest} ]; then\n'
        '  echo "this router has changed since it was read: read it again, and compare" >&2\n'
        "  exit 3\nfi\n"
    )  # fmt: skip
    return (
        "#!/bin/sh\n"
        "# Stops at the first command that fails: what went before stands. Read the router again, and compare again.\n"
        "set -eu\n"
        f"mkdir -p {LOCK.rpartition('/')[0]}\n"
        f"exec 9>{LOCK}\n"
        'flock -n 9 || { echo "another change of this router runs" >&2; exit 3; }\n'
        f"{guard}" + "\n".join(map(shell, steps)) + "\n"
    )
