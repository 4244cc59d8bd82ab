"""A running-config of another router, typed in by its indentation: what is not known is left out, and named."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.device import Device
from lab.knowing import known
from tests.lab.routers import ALL, BASELINE, GSR, OLD_GSR, T2, Clock, device, spec

STRANGE = """\
Building configuration...

Current configuration : 1234 bytes
!
version 12.0
hostname nl6
!
voice-port 1/0
 description hello
 ip address 192.0.2.1 255.255.255.0
!
class-map match-all GOLD
  match dscp 46
!
policy-map P
  class GOLD
   police cir percent 5 conform-action transmit exceed-action drop
   teleport 5
  class NOWHERE
   set dscp 0
  class class-default
   set dscp 0
!
interface POS1/0
 description customer
 frobnicate 7
 service-policy input P
!
interface Vlan7
 service-policy input P
!
interface Null0
 no ip unreachables
!
banner motd ^C
policy-map EVIL
^C
!
end
"""
RATES = {"POS1/0": 155000}


def lent(text: str, kind: tuple[str, str] = GSR, rates: dict[str, int] | None = None) -> Device:
    return Device(
        spec(kind, running_config=text, bandwidths=RATES if rates is None else rates), clock=Clock()
    )


@pytest.mark.parametrize("kind", [*ALL, OLD_GSR], ids=lambda kind: kind[1])
def test_what_a_router_prints_is_known_to_one_like_it(kind: tuple[str, str]) -> None:
    router = device(kind)
    router.load(BASELINE if kind != OLD_GSR else "")
    rates = {item.name: item.bandwidth_kbit for item in router.spec.interfaces}
    again = lent(router.running_config(), kind, rates)
    assert again.unknown == []
    assert sorted(again.body().splitlines()) == sorted(router.body().splitlines())
    assert not again.unsaved


def test_what_is_not_known_is_left_out_with_what_stands_under_it() -> None:
    router = lent(STRANGE)
    numbered = STRANGE.splitlines()
    named = [
        "voice-port 1/0",
        " description hello",
        " ip address 192.0.2.1 255.255.255.0",
        "   teleport 5",
        "  class NOWHERE",
        " frobnicate 7",
        "interface Vlan7",
    ]
    numbers = [numbered.index(line) + 1 for line in named]
    under = [numbered.index("  class NOWHERE") + 2, numbered.index("interface Vlan7") + 2]
    assert [each.number for each in router.unknown] == sorted([*numbers, *under])
    assert [each.reply for each in router.unknown if each.number in under] == ["", ""]
    assert [each.line for each in router.unknown if "class-map NOWHERE not configured" in each.reply] == [
        "class NOWHERE"
    ]
    held = router.config
    assert [action.name for action in held.policy_maps["P"].classes] == ["GOLD", "class-default"]
    assert held.policy_maps["P"].classes[1].actions == {"set dscp": 0}
    assert held.interfaces["POS1/0"].description == "customer"
    assert held.interfaces["POS1/0"].ip is None
    assert held.interfaces["POS1/0"].policies == {"input": "P"}
    assert "EVIL" not in held.policy_maps


def test_what_refers_to_a_later_section_is_tried_again() -> None:
    parent = "policy-map PARENT\n class class-default\n  service-policy CHILD\n!\n"
    child = "policy-map CHILD\n class class-default\n  set dscp 0\n!\n"
    router = lent(f"hostname a\n!\n{parent}{child}end\n", T2)
    assert router.unknown == []
    assert router.config.policy_maps["PARENT"].classes[0].actions["service-policy"] == "CHILD"


def test_a_line_is_known_if_a_router_of_any_release_understands_it() -> None:
    here = lent(STRANGE).spec
    assert known(here, ["policy-map NEW", "class GOLD", "police cir percent 5"])
    assert known(
        here, ["policy-map NEW", "class GOLD", "bandwidth remaining ratio 5"]
    )  # IOS-XE's, not of a 12000
    assert known(here, ["policy-map NEW", "class NOWHERE"])  # refused, and understood
    assert not known(here, ["policy-map NEW", "class GOLD", "teleport 5"])


def test_lent_routers_leave_with_whoever_borrowed_them(tmp_path: Path) -> None:
    """Their stdin ends, however the borrower does; one that cannot be had does not keep the others from coming."""
    routers = [
        {"name": "r0", "platform": "cisco-12400", "ios": "12.0(28)S", "running_config": STRANGE, "bandwidths": RATES},
        {"name": "r1", "platform": "juniper", "ios": "12.0(28)S", "running_config": STRANGE},
    ]  # fmt: skip
    borrower = subprocess.Popen(
        [sys.executable, "-c", BORROW],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"TMPDIR": str(tmp_path), "PATH": ""},
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert borrower.stdin is not None and borrower.stdout is not None
    borrower.stdin.write(json.dumps({"routers": routers}) + "\n")
    borrower.stdin.flush()
    child, said = (
        int(borrower.stdout.readline()),
        json.loads(borrower.stdout.readline().removeprefix("READY ")),
    )
    assert list(said["routers"]) == ["r0"]
    assert "platform" in said["refused"]["r1"]
    assert [line for _number, line, _reply in said["unknown"]["r0"] if "teleport" in line] == ["teleport 5"]
    assert list(tmp_path.iterdir())
    borrower.send_signal(signal.SIGKILL)
    borrower.wait()
    deadline = time.monotonic() + 30
    while Path(f"/proc/{child}/cmdline").exists() and Path(f"/proc/{child}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the practice routers outlived who borrowed them"
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())


BORROW = """
import subprocess, sys, time
lab = subprocess.Popen([sys.executable, "-m", "lab", "--lent", "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
lab.stdin.write(sys.stdin.readline().encode())
lab.stdin.flush()
print(lab.pid)
print(lab.stdout.readline().decode(), end="", flush=True)
time.sleep(60)
"""
