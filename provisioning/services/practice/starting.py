"""From the inventory to practice routers that listen, and back into the inventory where they listen."""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import subprocess
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from inventory.models import Domain, Router
from provisioning.errors import Conflict, Unreachable
from provisioning.models import Actor, Credential, Verb
from provisioning.selectors.authority import permit
from provisioning.selectors.network import the_domain
from provisioning.services import audit, credentials
from provisioning.services.practice.control import running
from provisioning.services.practice.process import PracticeRouter, launch, listening, stop_recorded, terminate
from provisioning.services.practice.spec import router_specs

USERNAME = "noc"


@dataclass(frozen=True)
class PracticeNetwork:
    """Practice routers that are up: the process and where each listens."""

    process: subprocess.Popen[bytes]
    routers: tuple[PracticeRouter, ...]
    state_dir: Path

    def stop(self) -> None:
        """End the process."""
        terminate(self.process)
        (self.state_dir / "lab.pid").unlink(missing_ok=True)


def default_state_dir() -> Path:
    """Return where the practice routers keep keys, ports and NVRAM unless told otherwise."""
    return Path(settings.STATE_DIR) / "lab"


def start(*, actor: Actor, state_dir: Path | None = None, replace_real: bool = False) -> PracticeNetwork:
    """Start a practice router for every router of the inventory and record how to reach each.

    Passwords are made up once and kept as the routers' credentials. Returns when all listen.

    Raises:
        NotPermitted: the actor is neither NOC staff nor the command line.
        Conflict: practice routers run already, no network is imported, or a router is recorded at an address
        that
            is not this machine's own and `replace_real` is not given.
        Unreachable: the process did not come up; its last words are in the reason.
    """
    permit(actor, Verb.MEND)
    folder = (state_dir or default_state_dir()).resolve()
    domain = the_domain()
    if running(state_dir=folder):
        raise Conflict(f"Practice routers already run over {folder}.")
    if not replace_real:
        _refuse_real_routers(domain)
    folder.mkdir(parents=True, exist_ok=True)
    passwords = {router.name: _secrets(router) for router in Router.objects.filter(domain=domain)}
    spec_file = folder / "spec.json"
    _write_private(spec_file, json.dumps(router_specs(domain, passwords), indent=1))
    process = launch(spec_file=spec_file, state_dir=folder)
    try:
        routers = listening(state_dir=folder)
        _record(actor, domain, routers, passwords)
    except BaseException:
        terminate(process)
        raise
    return PracticeNetwork(process, routers, folder)


def stop(*, state_dir: Path | None = None) -> bool:
    """End practice routers that another command started; return whether any ran."""
    return stop_recorded(state_dir=(state_dir or default_state_dir()).resolve())


def _refuse_real_routers(domain: Domain) -> None:
    for router in Router.objects.filter(domain=domain).exclude(management_host=""):
        if not _is_loopback(router.management_host):
            raise Conflict(
                f"{router.name} is recorded at {router.management_host}: practice routers would take the "
                "place of real ones. Use a database of its own, or say --replace."
            )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _secrets(router: Router) -> dict[str, str]:
    """Return the sign-in recorded for a practice router, or a new one."""
    known = Credential.objects.filter(router=router).first() if _is_loopback(router.management_host) else None
    if known is not None:
        return {"username": known.username, "password": known.password, "enable": known.enable or ""}
    return {"username": USERNAME, "password": secrets.token_urlsafe(12), "enable": secrets.token_urlsafe(12)}


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read: the specification holds the passwords."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        stream.write(text)


def _record(
    actor: Actor, domain: Domain, routers: tuple[PracticeRouter, ...], passwords: dict[str, dict[str, str]]
) -> None:
    rows = {router.name: router for router in Router.objects.filter(domain=domain)}
    missing = rows.keys() - {router.name for router in routers}
    if missing:
        raise Unreachable(f"No practice router came up for {', '.join(sorted(missing))}.")
    moved: list[tuple[Router, dict[str, object], dict[str, object]]] = []
    with transaction.atomic():
        for practice in sorted(routers, key=lambda each: rows[each.name].pk):
            router = rows[practice.name]
            before: dict[str, object] = {"host": router.management_host, "port": router.management_port}
            after: dict[str, object] = {"host": practice.host, "port": practice.port}
            if before == after and router.host_key == practice.host_key:
                continue
            router.management_host, router.management_port = practice.host, practice.port
            router.host_key = practice.host_key
            router.save(update_fields=["management_host", "management_port", "host_key"])
            moved.append((router, before, after))
        # Each leaves an audit event, and the trail is locked last.
        for practice in routers:
            credentials.store(actor=actor, router=rows[practice.name], **passwords[practice.name])
        for router, before, after in moved:
            audit.record(
                actor=actor,
                action="router.practice",
                obj=router,
                reason="a practice router stands in for it",
                before=before,
                after=after,
            )
