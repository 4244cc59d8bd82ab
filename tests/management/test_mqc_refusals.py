"""`manage.py mqc` and `counters`: what is not printed because a router would refuse it, and how refusals are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.management.test_mqc_commands import APPENDIX, manage

HELD = """\
class-map match-all VOICE
 match dscp ef
policy-map CUSTOMER
 class VOICE
  police cir percent 5
 class class-default
  set dscp default
interface GigabitEthernet0/1
 service-policy input CUSTOMER
"""


def differ(tmp_path: Path, intended: str, *options: str, running: str = HELD) -> tuple[int, str, str]:
    held, wanted = tmp_path / "running", tmp_path / "intended"
    held.write_text(running)
    wanted.write_text(intended)
    done = manage("mqc", "diff", str(held), str(wanted), *options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("intended", "reason"),
    [
        (
            "policy-map CUSTOMER\n class VIOCE\n  police cir percent 4\n class class-default\n  set dscp 0\n",
            "uses class-map VIOCE, which neither side has",
        ),
        (
            "interface GigabitEthernet0/1\n service-policy output TRUNK\n",
            "GigabitEthernet0/1 output uses policy-map TRUNK",
        ),
        (
            "policy-map OUT\n class class-default\n  shape average 1000000\n  service-policy INSIDE\n",
            "policy-map OUT uses policy-map INSIDE",
        ),
        ("class-map match-any BOTH\n match class-map VIOCE\n", "class-map BOTH uses class-map VIOCE"),
    ],
    ids=["class of a policy", "bound policy", "policy in a class", "class in a class"],
)
@pytest.mark.parametrize("option", ["", "--explain", "--json"])
def test_a_name_that_neither_side_has_is_refused_and_no_line_is_printed(
    intended: str, reason: str, option: str, tmp_path: Path
) -> None:
    status, said, told = differ(tmp_path, intended, *([option] if option else []))
    assert (status, said) == (2, "")
    assert f"{tmp_path / 'intended'}" in told and reason in told


def test_a_name_that_running_uses_without_showing_it_is_not_asked_for(tmp_path: Path) -> None:
    """An excerpt: the router took the class once, so it is there."""
    excerpt = HELD.partition("policy-map")[1] + HELD.partition("policy-map")[2]
    status, said, told = differ(tmp_path, excerpt.replace("percent 5", "percent 4"), running=excerpt)
    assert status == 1, told
    assert "police cir percent 4" in said


def test_an_access_list_that_neither_side_has_is_noted(tmp_path: Path) -> None:
    status, said, told = differ(tmp_path, "class-map match-all BY\n match access-group name WHO\n")
    assert status == 1
    assert "match access-group name WHO" in said
    assert "note: class-map BY uses access-list WHO, which neither side has" in told


def test_what_the_platform_would_refuse_is_refused_and_what_it_may_refuse_noted_with_its_evidence(
    tmp_path: Path,
) -> None:
    queue = (
        "policy-map OUT\n class VOICE\n  priority\ninterface GigabitEthernet0/1\n service-policy output OUT\n"
    )
    status, _, told = differ(tmp_path, queue, "--platform", "cisco-7200", "--ios", "12.3(14)T")
    assert status == 2
    assert "the platform refuses this: GigabitEthernet0/1: `priority` without a rate" in told
    status, said, _ = differ(tmp_path, queue, "--platform", "cisco-7200", "--ios", "15.2(4)M", "--json")
    (doubt,) = json.loads(said)["platform"]
    assert (doubt["place"], doubt["code"], doubt["severity"]) == (
        "GigabitEthernet0/1",
        "bare-priority",
        "warning",
    )
    status, _, told = differ(tmp_path, queue, "--platform", "cisco-12000")
    assert status == 1 and "platform" not in told


def test_what_the_router_has_taken_already_is_not_refused_for_its_platform(tmp_path: Path) -> None:
    held = HELD + (
        "policy-map OUT\n class VOICE\n  priority\n class class-default\n  bandwidth percent 10\n"
        "interface GigabitEthernet0/1\n service-policy output OUT\n"
    )
    wanted = held.replace("bandwidth percent 10", "bandwidth percent 20")
    options = ("--platform", "cisco-7200", "--ios", "12.3(14)T")
    assert differ(tmp_path, wanted, *options, running=held)[0] == 1
    assert differ(tmp_path, wanted, *options)[0] == 2


def test_a_release_without_a_platform_is_refused(tmp_path: Path) -> None:
    done = manage("mqc", "parse", str(APPENDIX), "--ios", "12.0(28)S")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--ios says the release of a --platform" in done.stderr
    done = manage("mqc", "parse", str(APPENDIX), "--platform", "cisco-7200", "--ios", "twelve")
    assert "--ios: 'twelve' is not an IOS release" in done.stderr


@pytest.mark.parametrize("words", [("mqc", "parse"), ("mqc", "diff", str(APPENDIX)), ("counters",)])
def test_the_name_of_a_file_moves_no_cursor(words: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "cut\x1b[2J\x9b31m.ios"
    for content in (None, "version 12.4\nhostname r\n"):
        if content:
            file.write_text(content)
        done = manage(*words, str(file))
        assert (done.returncode, done.stdout) == (2, "")
        assert "cut\\x1b[2J\\x9b31m.ios: " in done.stderr
        assert "\x1b" not in done.stderr and "\x9b" not in done.stderr


def test_no_file_is_named_as_one(tmp_path: Path) -> None:
    done = manage("mqc", "parse", "")
    assert done.returncode == 2
    assert "'': " in done.stderr


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("service-polcy input OTHER", "2: `service-polcy` is not understood: is `service-policy` meant?"),
        ("service-policy inptu OTHER", "17: `inptu` is not understood: is `input` meant?"),
        ("service-policy input OTHER too", "29: `too`: nothing can follow"),
        ("no service-policy input CUSTOMER", "2: `no service-policy input CUSTOMER` removes something"),
    ],
)
def test_a_binding_that_is_not_understood_is_refused_and_not_called_equal(
    line: str, reason: str, tmp_path: Path
) -> None:
    status, said, told = differ(tmp_path, f"interface GigabitEthernet0/1\n {line}\n")
    assert (status, said) == (2, "")
    assert f"{tmp_path / 'intended'}:2:{reason}" in told


def test_a_binding_of_another_feature_is_left_to_it(tmp_path: Path) -> None:
    lines = " ip address 192.0.2.1 255.255.255.252\n service-policy type control input X\n"
    bound = "interface GigabitEthernet0/1\n service-policy input CUSTOMER\n"
    assert differ(tmp_path, HELD + bound + lines) == (0, "", "")


@pytest.mark.parametrize(
    ("intended", "reason"),
    [
        (
            "policy-map CUSTOMER\n class VOICE\n  polce cir percent 4\n class class-default\n  set dscp 0\n",
            "3:3: `polce` is not understood: is `police` meant?",
        ),
        ("class-map match-any NEW\n match colour red\n", "2:8: `colour` is not understood"),
        ("class-map match-any NEW\n mtach dscp ef\n", "2:2: `mtach` is not understood: is `match` meant?"),
    ],
)
@pytest.mark.parametrize("option", ["", "--json", "--explain", "--exact"])
def test_what_is_not_understood_is_refused_and_nothing_is_printed(
    intended: str, reason: str, option: str, tmp_path: Path
) -> None:
    status, said, told = differ(tmp_path, intended, *([option] if option else []))
    assert (status, said) == (2, "")
    assert f"{tmp_path / 'intended'}:{reason}" in told
