"""The doors: ``import_inventory`` and ``rotate_credentials`` with their exit statuses."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection

from inventory.models import Router
from provisioning.errors import AuthenticationRefused, HostKeyChanged, InvalidInput, NotPermitted, Unreachable
from provisioning.models import Actor, AuditEvent, Credential, Role
from provisioning.services import credentials
from provisioning.services.inventory import import_network
from tests.inventory.conftest import SIX_NET, edited, network
from tests.inventory.test_reading import KEY, managed

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_a_file_and_a_bundled_name_import_the_same() -> None:
    assert "created   router uk6" in run("import_inventory", str(SIX_NET))
    assert "0 created, 0 updated" in run("import_inventory", "6net")


def test_a_dry_run_says_so() -> None:
    assert "Dry run, nothing written" in run("import_inventory", "6net", "--dry-run")
    assert not Router.objects.exists()


def test_json_is_json() -> None:
    report = json.loads(run("import_inventory", "6net", "--json"))
    assert report["domain"] == "6NET"
    assert report["counts"]["created"] == len(report["rows"])


def test_a_bad_file_exits_2_with_file_path_and_reason(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_bytes(edited(("nren: South", "nren: East")))
    with pytest.raises(CommandError) as failure:
        run("import_inventory", str(bad))
    assert failure.value.returncode == 2
    assert str(failure.value) == f"{bad}: line 12, access_links[1].nren: there is no NREN 'East'"
    assert not Router.objects.exists()


def test_a_file_that_is_not_there_exits_2() -> None:
    with pytest.raises(CommandError, match="No such file") as failure:
        run("import_inventory", "no-such-network")
    assert failure.value.returncode == 2


def test_a_contradiction_exits_1(tmp_path: Path, clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    other = tmp_path / "other.yaml"
    other.write_bytes(edited(("name: Practice", "name: Other")))
    with pytest.raises(CommandError, match="belongs to the domain Practice") as failure:
        run("import_inventory", str(other))
    assert failure.value.returncode == 1


def stored() -> str:
    """The columns as the database holds them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT password, enable FROM provisioning_credential")
        return str(cursor.fetchall())


def test_a_target_is_made_of_router_and_credential(clockwork: Actor) -> None:
    said = managed(
        f'host: 192.0.2.7, port: 2222, username: noc, password: "s3cret!", enable: en4ble, host_key: {KEY}'
    )
    import_network(actor=clockwork, network=network(said))
    target = credentials.for_router(router=Router.objects.get(name="aa1"))
    assert (target.host, target.port, target.username) == ("192.0.2.7", 2222, "noc")
    assert (target.password, target.enable, target.host_key) == ("s3cret!", "en4ble", KEY)
    assert (target.platform, target.ssh_profile, target.driver) == ("cisco-12400", "legacy", "netmiko")
    assert "s3cret" not in stored() and "en4ble" not in stored()
    assert "s3cret" not in repr(target) and "en4ble" not in repr(target)


def test_what_is_missing_for_a_session_is_named(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    router = Router.objects.get(name="aa1")
    with pytest.raises(Unreachable, match="No management address is recorded for aa1"):
        credentials.for_router(router=router)
    Router.objects.filter(pk=router.pk).update(management_host="192.0.2.7")
    router.refresh_from_db()
    with pytest.raises(AuthenticationRefused, match="No credential is recorded for aa1"):
        credentials.for_router(router=router)
    credentials.store(actor=clockwork, router=router, username="noc", password="p")
    with pytest.raises(HostKeyChanged, match="No host key is pinned for aa1"):
        credentials.for_router(router=router)


def test_storing_says_what_it_did_and_never_the_secret(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    router = Router.objects.get(name="aa1")

    def store(password: str) -> str:
        return credentials.store(actor=clockwork, router=router, username="noc", password=password)

    assert [store("0ne-s3cret"), store("0ne-s3cret"), store("tw0-s3cret")] == [
        "created",
        "unchanged",
        "updated",
    ]
    assert "s3cret" not in str(list(AuditEvent.objects.values("before", "after", "reason")))
    with pytest.raises(InvalidInput, match="password"):
        store("two\nlines")
    noc = Actor(label="x", user_id=1, roles=frozenset({Role.NREN}))
    with pytest.raises(NotPermitted):
        credentials.store(actor=noc, router=router, username="noc", password="three")
    assert Credential.objects.get().password == "tw0-s3cret"


def test_rotation_makes_the_old_key_superfluous(clockwork: Actor, settings: Any) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    import_network(actor=clockwork, network=network())
    settings.CREDENTIAL_KEYS = [old]
    for router in Router.objects.all():
        credentials.store(actor=clockwork, router=router, username="noc", password="s3cret!", enable="en4ble")
    before = stored()
    settings.CREDENTIAL_KEYS = [new, old]
    assert "2 credential(s)" in run("rotate_credentials")
    assert stored() != before
    settings.CREDENTIAL_KEYS = [new]
    assert {(row.password, row.enable) for row in Credential.objects.all()} == {("s3cret!", "en4ble")}


def test_rotation_without_the_right_key_changes_nothing(clockwork: Actor, settings: Any) -> None:
    import_network(actor=clockwork, network=network())
    credentials.store(actor=clockwork, router=Router.objects.get(name="aa1"), username="noc", password="p")
    before = stored()
    settings.CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(CommandError, match="cannot be read with any key"):
        run("rotate_credentials")
    assert stored() == before
