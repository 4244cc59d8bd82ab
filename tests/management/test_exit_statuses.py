"""One rule for every command: a name that nothing has, and input that cannot be meant, are exit status 2."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from provisioning.management import commands
from tests.web.world import build_network

WHO = "--as noc --reason why"
LATER = "2030-01-01T00:00Z"
# Each with one name that nothing has, everything else as it should be.
UNKNOWN: Final = {
    "abort": f"abort CHG-999 {WHO}",
    "admit": f"admit PIP-999 {WHO}",
    "acknowledge": "acknowledge BG-999 --as noc --reason why",
    "adopt": "adopt --router nowhere",
    "advise": "advise PIP-999",
    "approve": "approve CHG-999 --as noc --reason why",
    "ask": "ask --as noc --from NOWHERE --rate 1M --source-prefix 2001:db8::/48 --contact a@example.net",
    "capacity": "capacity NOWHERE --usable 1M --reason why",
    "chassis": "chassis nowhere",
    "consent": "consent PIP-999 --agree --as noc",
    "core_link": "core_link NOWHERE --down --reason why",
    "differences": "differences --router nowhere",
    "end_early": f"end_early PIP-999 {WHO}",
    "extend": f"extend PIP-999 --open-ended {WHO}",
    "failures": "failures NOWHERE",
    "go_on": "go_on --as nobody --reason why",
    "hold": f"hold PIP-999 --until {LATER} {WHO}",
    "lines": "lines PIP-999",
    "modification": f"modification MOD-999 admit {WHO}",
    "modify": f"modify PIP-999 --rate 2M {WHO}",
    "netbox": "netbox no-such-rules.yaml",
    "next_step": "next_step CHG-999",
    "notify": "notify end 999 --as noc",
    "pack": "pack PIP-999 --for ios",
    "path_moved": "path_moved PIP-999 --reason why",
    "pause": f"pause CHG-999 {WHO}",
    "person": "person anna --nren NOWHERE",
    "plan": "plan --router nowhere",
    "planned_work": "planned_work NOWHERE",
    "probe": "probe nowhere",
    "push": "push CHG-999 --as noc",
    "quota": "quota NOWHERE",
    "recheck": "recheck PIP-999",
    "refuse": f"refuse PIP-999 {WHO}",
    "rehearse": "rehearse CHG-999",
    "report": "report --month 2026-13",
    "resume": f"resume CHG-999 {WHO}",
    "rollout": "rollout CHG-999",
    "save": f"save nowhere {WHO}",
    "series": f"series SER-999 --admit {WHO}",
    "stop_pushes": "stop_pushes --as nobody --reason why",
    "take_offer": "take_offer PIP-999 lower-rate --as noc",
    "token": "token NOWHERE",
    "sessions": "sessions nobody",
    "try_now": "try_now CHG-999 --as noc",
    "undo": f"undo CHG-999 {WHO}",
    "verify": "verify --router nowhere",
    "what_if": "what_if --as noc --from NOWHERE --rate 1M --source-prefix 2001:db8::/48",
    "withdraw": f"withdraw PIP-999 {WHO}",
}
NAME_NOTHING = {
    *(
        "backup",
        "counters",
        "demo",
        "import_inventory",
        "lab",
        "linux",
        "mqc",
        "path_drift",
        "prune",
        "restore",
        "runjobs",
    ),
    "verify_audit",
    "rotate_credentials",
}
"""Commands that take a file, or no name of anything in the database."""
NOT_A_NUMBER = sorted(
    name
    for name, words in UNKNOWN.items()
    if any(each in words for each in ("PIP-999", "CHG-999", "SER-999", "MOD-999"))
)


def status_of(words: str) -> tuple[int, str]:
    try:
        call_command(*shlex.split(words))
    except CommandError as refused:
        return refused.returncode, str(refused)
    except SystemExit as ended:
        return int(ended.code or 0), ""
    return 0, ""


@pytest.fixture
def noc(db: None) -> None:
    """A network, and somebody of the NOC."""
    build_network()
    call_command("person", "noc", "--role", "noc")


def test_every_command_is_here() -> None:
    names = {file.stem for file in Path(commands.__path__[0]).glob("[!_]*.py")}
    assert names == UNKNOWN.keys() | NAME_NOTHING


@pytest.mark.usefixtures("noc")
@pytest.mark.parametrize("words", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_name_that_nothing_has_is_two_and_says_so(words: str) -> None:
    status, told = status_of(words)
    assert status == 2, told
    assert told and "\n" not in told


@pytest.mark.usefixtures("noc")
@pytest.mark.parametrize("name", NOT_A_NUMBER)
def test_what_cannot_be_the_name_of_one_is_two_as_well(name: str) -> None:
    words = UNKNOWN[name]
    for known in ("PIP-999", "CHG-999", "SER-999", "MOD-999"):
        words = words.replace(known, "nonsense")
    status, told = status_of(words)
    assert status == 2, told
    assert "nonsense" in told


@pytest.mark.usefixtures("noc")
@pytest.mark.parametrize("name", sorted(name for name, words in UNKNOWN.items() if "--as noc" in words))
def test_who_acts_and_is_nobody_is_two(name: str) -> None:
    status, told = status_of(UNKNOWN[name].replace("--as noc", "--as nobody"))
    assert status == 2, told


@pytest.mark.usefixtures("noc")
@pytest.mark.parametrize("words", ["acknowledge BG-3", "acknowledge nonsense --as noc", "demo --port 99999"])
def test_what_cannot_be_meant_is_two(words: str) -> None:
    status, told = status_of(words)
    assert status == 2, told
    assert told and "\n" not in told
