"""``manage.py lab`` for real: processes, ports, pinned keys, a driver's session, faults, and what it refuses."""

from __future__ import annotations

import json
import shutil
import stat
import tempfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inventory.models import Domain, Interface, Router
from provisioning import drivers
from provisioning.errors import AuthenticationRefused, Conflict, NotPermitted, Unreachable
from provisioning.management.commands.lab import fault_from_words
from provisioning.models import Actor, AuditEvent, Credential, Role
from provisioning.services import credentials, practice
from provisioning.services.inventory import import_network
from provisioning.services.practice.spec import router_specs
from tests.inventory.conftest import network

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, as a unix socket's name has little room; what runs over it is ended."""
    path = Path(tempfile.mkdtemp(prefix="lab-"))
    yield path
    practice.stop(state_dir=path)
    shutil.rmtree(path)


@pytest.fixture
def small(clockwork: Actor) -> None:
    """The small network as rows."""
    import_network(actor=clockwork, network=network())


def lab(folder: Path, *words: str) -> str:
    out = StringIO()
    call_command("lab", "--state", str(folder), *words, stdout=out)
    return out.getvalue()


def test_the_specification_is_what_the_inventory_says(small: None) -> None:
    secrets = {name: {"username": "noc", "password": "p", "enable": "e"} for name in ("aa1", "bb1")}
    aa1, bb1 = router_specs(Domain.objects.get(), secrets)["routers"]
    assert (aa1["platform"], aa1["ios"], aa1["engines"]) == (
        "cisco-12400",
        "12.0(28)S",
        {"1": "3", "2": "4+"},
    )
    faces = {face["name"]: face for face in (*aa1["interfaces"], *bb1["interfaces"])}
    assert faces["POS2/0"]["ipv6"] == "2001:db8:0:1::1/64"
    assert faces["GigabitEthernet2/0"] == {
        "name": "GigabitEthernet2/0", "bandwidth_kbit": 1_000_000, "description": "Access South",
        "ipv6": "2001:db8:2::1/64", "shutdown": False, "pvc": None,
    }  # fmt: skip
    assert {face["ipv6"] for face in bb1["interfaces"] if face["name"] == "POS1/0"} == {"2001:db8:0:1::2/64"}
    assert faces["POS1/1"]["ipv6"] == ""


def test_a_pvc_has_its_rate(small: None) -> None:
    Interface.objects.filter(name="GigabitEthernet2/0").update(name="ATM2/0.1", pvc="0/32", bw_bps=34_368_000)
    secrets: dict[str, dict[str, str]] = {"aa1": {}, "bb1": {}}
    faces = router_specs(Domain.objects.get(), secrets)["routers"][1]["interfaces"]
    assert {(face["pvc"], face["pvc_rate_kbit"]) for face in faces if face["pvc"]} == {("0/32", 34_368)}


def test_routers_listen_are_recorded_and_let_a_driver_in(small: None, folder: Path) -> None:
    said = lab(folder, "start", "--background")
    assert "2 practice routers run" in said
    router = Router.objects.get(name="aa1")
    assert (router.management_host, router.host_key.split(" ")[0]) == ("127.0.0.1", "ssh-rsa")
    assert f"{router.management_port}" in lab(folder, "status")
    with drivers.connect(credentials.for_router(router=router), timeout=30) as session:
        assert session.facts().hostname == "aa1"
        assert "interface POS2/0" in session.running_config()

    assert stat.S_IMODE((folder / "spec.json").stat().st_mode) == 0o600
    password = Credential.objects.get(router=router).password
    assert password not in said
    assert password not in (folder / "lab.log").read_text()
    assert password not in json.dumps(list(AuditEvent.objects.values("before", "after", "reason")))

    with pytest.raises(CommandError, match="already run"):
        lab(folder, "start", "--background")
    assert "ended" in lab(folder, "stop")
    assert "No practice routers ran" in lab(folder, "stop")
    with pytest.raises(CommandError, match="No practice routers run"):
        lab(folder, "status")

    events = AuditEvent.objects.count()
    lab(folder, "start", "--background")
    again = Router.objects.get(name="aa1")
    assert (again.host_key, again.management_port) == (router.host_key, router.management_port)
    assert Credential.objects.get(router=router).password == password
    assert AuditEvent.objects.count() == events


def test_a_router_can_be_looked_at_broken_and_edited(small: None, folder: Path) -> None:
    lab(folder, "start", "--background")
    lab(folder, "configure", "bb1", "interface FastEthernet0/0", "description by hand")
    state = lab(folder, "state", "bb1")
    assert " description by hand" in state.split("--- startup")[0]
    assert "unsaved: true" in state
    assert "done" in lab(folder, "fault", "bb1", "wrong-password")
    with pytest.raises(AuthenticationRefused):
        drivers.connect(credentials.for_router(router=Router.objects.get(name="bb1")), timeout=20).__enter__()
    lab(folder, "clear", "bb1")
    with drivers.connect(
        credentials.for_router(router=Router.objects.get(name="bb1")), timeout=20
    ) as session:
        assert session.facts().hostname == "bb1"
    with pytest.raises(CommandError, match="bogus"):
        lab(folder, "fault", "bb1", "bogus")
    with pytest.raises(CommandError, match="zz9"):
        lab(folder, "state", "zz9")


def test_real_addresses_are_not_replaced_unasked(small: None, folder: Path) -> None:
    Router.objects.filter(name="bb1").update(management_host="192.0.2.7")
    with pytest.raises(CommandError, match=r"bb1 is recorded at 192\.0\.2\.7"):
        lab(folder, "start", "--background")
    assert not practice.running(state_dir=folder)
    lab(folder, "--replace", "start", "--background")
    assert Router.objects.get(name="bb1").management_host == "127.0.0.1"


def test_a_process_that_does_not_come_up_says_why_and_records_nothing(
    small: None, folder: Path, clockwork: Actor
) -> None:
    Router.objects.filter(name="bb1").update(platform="vax-11")
    with pytest.raises(Unreachable, match="vax-11"):
        practice.start(actor=clockwork, state_dir=folder)
    assert not Router.objects.exclude(management_host="").exists()
    assert not Credential.objects.exists()


def test_who_may_start_and_what_is_needed(folder: Path, clockwork: Actor) -> None:
    with pytest.raises(NotPermitted):
        practice.start(actor=Actor(label="n", user_id=1, roles=frozenset({Role.NREN})), state_dir=folder)
    with pytest.raises(Conflict, match="No network has been imported"):
        practice.start(actor=clockwork, state_dir=folder)
    with pytest.raises(Unreachable, match=r"manage\.py lab"):
        practice.call(state_dir=folder, op="state", router="aa1")


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        (["drop-after", "3"], {"kind": "drop", "when": "after", "line": 3, "times": 1}),
        (["drop-before", "1", "times=2"], {"kind": "drop", "when": "before", "line": 1, "times": 2}),
        (["refuse", "match=police", "message=% No, thanks"], {"kind": "refuse", "match": "police", "message": "% No, thanks"}),
        (["wrong-password"], {"kind": "wrong-password"}),
    ],
)  # fmt: skip
def test_faults_are_written_as_words(words: list[str], fault: dict[str, Any]) -> None:
    assert fault_from_words(words) == fault


@pytest.mark.parametrize(
    "words", [["drop-after"], ["drop-after", "x"], ["refuse", "match"], ["refuse", "=x"]]
)
def test_words_that_are_no_fault_are_refused(words: list[str], folder: Path) -> None:
    with pytest.raises(CommandError):
        lab(folder, "fault", "aa1", *words)
