"""A change, and saving, as scripts that a shell is given: each begins only when all of it has arrived, and only on what was
looked at. A change stops at its first command that fails; what came before it is on, and the driver takes it back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from provisioning.pipeline.linux.looking import (
    AT_BOOT,
    DIGESTED,
    LOADER,
    POLICIES,
    SAVED,
    WAIT_S,
    WITH_LOCK,
)
from provisioning.pipeline.linux.reading import HELD
from provisioning.pipeline.linux.steps import Step, shell

CHANGED: Final = "this router has changed since it was looked at"
_UNIT: Final = "/etc/expedite/expedite-policies.service"
_SERVICE: Final = f"""\
[Unit]
Description=Policies of Expedite: nftables and tc as they were saved
After=network-online.target nftables.service
Wants=network-online.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh {LOADER}
[Install]
WantedBy=multi-user.target
"""


def change(steps: Sequence[Step], policies: str, held: str, policies_digest: str) -> str:
    """The script that takes these steps and then keeps `policies`; `held` and `policies_digest` are the router's words for what
    was looked at. It stops at the first command that fails, and ends with what the router holds then.

    A shell reads all of it before it begins: a session that is lost on the way there leaves nothing half done.
    """
    guard = f'[ "$(digested {POLICIES})" = {policies_digest} ]'
    if steps:
        guard += f' && [ "$(held)" = {held} ]'
    return _whole(
        f"{guard} || {{ echo '{CHANGED}' >&2; exit 3; }}\n"
        f"mkdir -p {POLICIES.rpartition('/')[0]}\n"
        f"cat > {POLICIES}.new <<'POLICIES'\n{policies}POLICIES\n"
        + "".join(f"{shell(step)}\n" for step in steps)
        + f"mv {POLICIES}.new {POLICIES}\n"
        + f'echo "$(digested {POLICIES}) {"$(held)" if steps else held}"\n'
    )


def keeping(policies: str, loader: str, policies_digest: str) -> str:
    """The script that has `loader` run at boot and keeps `policies` beside it, provided that they are those that run."""
    return _whole(
        f"[ \"$(digested {POLICIES})\" = {policies_digest} ] || {{ echo '{CHANGED}' >&2; exit 3; }}\n"
        f"if [ ! -d /run/systemd/system ] && [ ! -e {AT_BOOT} ]; then\n"
        f"  echo 'no systemd, and no {AT_BOOT}: nothing would load it at boot' >&2; exit 6\nfi\n"
        f"mkdir -p {SAVED.rpartition('/')[0]}\n"
        f"cat > {LOADER}.new <<'LOADER'\n{loader}LOADER\n"
        f"cat > {SAVED}.new <<'POLICIES'\n{policies}POLICIES\n"
        f"sync {LOADER}.new {SAVED}.new\n"
        f"mv {LOADER}.new {LOADER}\nmv {SAVED}.new {SAVED}\n"
        f"if [ -d /run/systemd/system ]; then\n  cat > {_UNIT} <<'UNIT'\n{_SERVICE}UNIT\n"
        f"  systemctl enable --quiet {_UNIT}\nfi\n"
        "sync\necho '[OK]'\n"
    )


def _whole(body: str) -> str:
    return (
        f"changed() {{\nset -eu\n{WITH_LOCK}flock -w {WAIT_S} 9 || "
        f"{{ echo 'another change of this router runs' >&2; exit 3; }}\n{DIGESTED}{HELD}{body}}}\nchanged\n"
    )
