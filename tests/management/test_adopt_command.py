"""`manage.py adopt` on files: what it prints, the network file it proposes, and what it refuses to guess."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from inventory.models import AccessLink, CoreLink, Prefix, Router
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, AdoptedName, AuditEvent, Ownership, Role
from provisioning.services import intents, people
from provisioning.services.inventory import import_network

CONFIGS = Path(__file__).with_name("handmade")

pytestmark = pytest.mark.django_db


def adopt(*words: object) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("adopt", *map(str, words), stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue(), err.getvalue()
    return 0, out.getvalue(), err.getvalue()


@pytest.fixture
def network(tmp_path: Path) -> Path:
    into = tmp_path / "network.yaml"
    assert adopt(CONFIGS, "--into", into)[0] == 0
    return into


def test_two_files_become_a_network_with_what_they_do_not_say(network: Path) -> None:
    read = read_network(network)
    assert [(each.name, each.platform, each.ios) for each in read.routers] == [
        ("pa1", "cisco-7200vxr", "12.4(24)T"),
        ("pa2", "cisco-12400", "12.0(28)S1"),
    ]
    assert [(each.name, each.metric, str(each.prefix)) for each in read.core_links] == [
        ("pa1:POS1/0--pa2:POS2/0", 15, "2001:db8:ff:1::/64")
    ]
    assert [(each.name, each.case) for each in read.access_links] == [
        ("Uninet@pa1:GigabitEthernet0/1", "filtered"),
        ("unknown-pa2-GigabitEthernet3-0@pa2:GigabitEthernet3/0", "trusted"),
    ]
    assert [each.name for each in read.peerings] == ["EuroIX@pa1:GigabitEthernet0/2"]
    assert [str(each) for each in read.nrens[0].prefixes] == ["2001:db8:a1:10::/64"]
    text = network.read_text()
    assert (
        "# unknown: pa1 POS1/1: OUT-BACKBONE is the core policy, and no router read here is at the other end"
        in text
    )
    assert "# unknown: pa2 GigabitEthernet3/0: whose it is is not in its description" in text
    assert "# unknown: pa2: the engines of its line cards are not in the text" in text
    assert '#   - {router: "pa1", interface: "GigabitEthernet0/3", capacity_bps: 1000000000' in text


def test_the_proposal_imported_is_what_the_routers_mean(network: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(network), dry_run=False)
    code, said, _ = adopt(CONFIGS)
    assert code == 0, said
    assert said.count("proof: re-rendering changes nothing") == 2
    assert (
        "GigabitEthernet0/1 input (access Uninet@pa1:GigabitEthernet0/1): IN-MARKED-HERE = filtered" in said
    )
    assert "grant in PREMIUM-SOURCES: 2001:db8:a1:10::/64 to 2001:db8:b2::/48" in said
    assert "open edge: GigabitEthernet0/3 is not in the inventory and has no input policy" in said
    assert "is in no prefix of" not in said
    Prefix.objects.all().delete()
    assert (
        "note: PREMIUM-SOURCES: 2001:db8:a1:10::/64 is in no prefix of Uninet (none are known)"
        in adopt(CONFIGS)[1]
    )
    found = {each["router"]: each for each in json.loads(adopt(CONFIGS, "--json")[1])}
    assert found["pa2"]["proof"] == {"empty": True, "commands": [], "conflicts": []}
    assert found["pa1"]["cases"] == {}


def test_names_are_written_once_and_given_up_again(network: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(network), dry_run=False)
    people.put_person(actor=SYSTEM, username="planner", roles=[Role.NOC])
    AccessLink.objects.filter(name__startswith="unknown").update(case="non-participant")
    for _ in range(2):
        code, _, told = adopt(CONFIGS, "--apply", "--as", "planner", "--reason", "as it is")
        assert code == 0
        assert "a file is not a router" in told
        assert AdoptedName.objects.count() == 11
    assert AccessLink.objects.get(name__startswith="unknown").case == "trusted"
    assert not Ownership.objects.exists(), "a file is not a router"
    wanted = intents.wanted()
    assert {policy.name for policy in wanted.intents["pa2"].policy_maps} == {"FROM-MEMBER", "TRUNK"}
    event = AuditEvent.objects.filter(action="router.adopted", object_label="pa2").first()
    assert "policy-map TRUSTED-IN: FROM-MEMBER" in event.after["names"]

    assert "names given up: pa2" in adopt("--forget", "--router", "pa2", "--as", "planner")[1]
    assert {policy.name for policy in intents.wanted().intents["pa2"].policy_maps} == {
        "TRUSTED-IN",
        "my_policy",
    }
    assert {policy.name for policy in intents.wanted().intents["pa1"].policy_maps} >= {"IN-MARKED-HERE"}


def test_nothing_is_written_for_any_when_one_is_not_proven(network: Path, tmp_path: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(network), dry_run=False)
    people.put_person(actor=SYSTEM, username="planner", roles=[Role.NOC])
    people.put_person(actor=SYSTEM, username="reader", roles=[Role.AUDITOR])
    changed = tmp_path / "configs"
    changed.mkdir()
    for each in CONFIGS.iterdir():
        text = each.read_text()
        changed.joinpath(each.name).write_text(
            text.replace("percent 5 ", "percent 6 ") if each.stem == "pa2" else text
        )
    with pytest.raises(CommandError, match="pa2 is not adopted: re-rendering would change it"):
        adopt(changed, "--apply", "--as", "planner")
    with pytest.raises(CommandError, match="edited it since"):
        adopt(CONFIGS, "--apply", "--as", "planner", "--seen", "0" * 12)
    with pytest.raises(CommandError, match="Only an operator of the NOC"):
        adopt(CONFIGS, "--apply", "--as", "reader")
    assert not AdoptedName.objects.exists()
    assert not AuditEvent.objects.filter(action="router.adopted").exists()


def test_bad_input_is_refused_with_the_file_and_the_reason(tmp_path: Path) -> None:
    text = (CONFIGS / "pa2.cfg").read_text()
    bad = {
        "half": (text.replace("\nend\n", "\n"), "line "),
        "part": (
            "hostname x1\npolicy-map P\n class class-default\n  set dscp 0\n",
            "not a whole running-config",
        ),
        "nameless": (text.replace("hostname pa2\n", ""), "no hostname"),
        "binary": ("\x00\x01", "binary"),
    }
    for name, (content, reason) in bad.items():
        file = tmp_path / name
        file.write_text(content)
        with pytest.raises(CommandError, match=reason) as refused:
            adopt(file)
        assert refused.value.returncode == 2
        assert str(file) in str(refused.value)
    twice = tmp_path / "twice.cfg"
    twice.write_text(text)
    with pytest.raises(CommandError, match="pa2 is already in"):
        adopt(CONFIGS / "pa2.cfg", twice)
    with pytest.raises(CommandError, match="name files, or routers"):
        adopt()
    with pytest.raises(CommandError, match="there already"):
        adopt(CONFIGS, "--into", twice)
    assert twice.read_text() == text
    nowhere = tmp_path / "nowhere.yaml"
    nowhere.symlink_to(tmp_path / "elsewhere.yaml")
    with pytest.raises(CommandError, match="there already"):
        adopt(CONFIGS, "--into", nowhere)
    assert not (tmp_path / "elsewhere.yaml").exists()
    with pytest.raises(CommandError, match="cannot be written") as refused:
        adopt(CONFIGS, "--into", tmp_path / "no" / "network.yaml")
    assert refused.value.returncode == 2
    assert not Router.objects.exists()
    assert not CoreLink.objects.exists()


def test_one_file_that_is_no_configuration_is_named_and_keeps_no_other_from_being_read(
    tmp_path: Path,
) -> None:
    directory = tmp_path / "rancid"
    directory.mkdir()
    for each in CONFIGS.iterdir():
        directory.joinpath(each.name).write_text(each.read_text())
    directory.joinpath("README").write_text("What rancid keeps here.\n")
    directory.joinpath("core\x1b[2J.dump").write_bytes(b"\x00\x01")
    into = tmp_path / "network.yaml"
    code, said, told = adopt(directory, "--into", into)
    assert code == 2
    assert f"{directory / 'README'}: " in told
    assert f"{directory}/core\\x1b[2J.dump: " in told, "a name of a file clears no terminal"
    assert told.count("it is left out") == 2
    assert "pa1" in said
    assert [each.name for each in read_network(into).routers] == ["pa1", "pa2"]
    # Of two texts of one router neither is taken, and the others are.
    directory.joinpath("again.cfg").write_text((CONFIGS / "pa2.cfg").read_text())
    code, said, told = adopt(directory, "--json")
    assert code == 2
    assert "pa2 is already in" in told
    assert [each["router"] for each in json.loads(said)] == ["pa1"]


def test_a_router_that_cannot_be_read_is_said_and_is_no_success(network: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(network), dry_run=False)
    code, said, told = adopt("--router", "pa1")
    assert code == 1
    assert said == ""
    assert told.startswith("pa1: not read: ")
    with pytest.raises(CommandError, match="there is no router 'pa9'"):
        adopt("--router", "pa9")
