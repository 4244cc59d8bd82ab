"""`manage.py mqc` and `manage.py counters` as scripts call them: output, exit status, reasons on stderr."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import execute_from_command_line

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "pipeline"
APPENDIX = CASES / "cases" / "appendix-a.ios"
XE = CASES / "ios" / "configs" / "asr-xe.ios"
OUTPUT = CASES / "counters" / "outputs" / "trusted-15x.txt"


def manage(*words: str, given: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Runs the command in this process, as `manage.py` does; these tests may not touch the database."""
    said, complained = io.StringIO(), io.StringIO()
    status: object = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        patch.setattr(sys, "stdout", said)
        patch.setattr(sys, "stderr", complained)
        try:
            execute_from_command_line(["manage.py", *words])
        except SystemExit as ended:
            status = ended.code or 0
    assert isinstance(status, int)
    return subprocess.CompletedProcess(words, status, said.getvalue(), complained.getvalue())


def test_a_machine_with_no_settings_no_secret_and_no_database() -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "EXPEDITE_ENV_FILE": "/nonexistent",
        "DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/none",
    }
    for words in (("mqc", "parse", "-"), ("counters", str(OUTPUT))):
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            input=XE.read_bytes(),
            capture_output=True,
            cwd=ROOT,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.decode() == manage(*words, given=XE.read_bytes()).stdout


def test_parse_prints_canonical_json() -> None:
    done = manage("mqc", "parse", str(XE), "--platform", "cisco-iosxe")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["hostname"] == "asr-one"
    assert data["class_maps"]["VOICE-OR-VIDEO"]["mode"] == "match-any"
    assert {
        "interface": "GigabitEthernet0/0/0",
        "pvc": None,
        "direction": "input",
        "policy": "CUSTOMER-IN",
    } in data["bindings"]
    assert manage("mqc", "parse", "-", given=XE.read_bytes()).stdout == done.stdout


def test_diff_of_equal_configurations_prints_nothing(tmp_path: Path) -> None:
    spelled = tmp_path / "running.ios"
    text = (
        APPENDIX.read_text()
        .replace("dscp 46", " dscp ef ")
        .replace(" conform-action transmit exceed-action drop", "")
    )
    spelled.write_bytes(f"version 12.4\n!\n{text}!\nend\n".replace("\n", "\r\n").encode())
    done = manage("mqc", "diff", str(spelled), str(APPENDIX))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    as_json = manage("mqc", "diff", "--json", str(spelled), str(APPENDIX))
    assert as_json.returncode == 0
    assert json.loads(as_json.stdout)["equal"] is True


def test_diff_prints_commands_then_the_rollback(tmp_path: Path) -> None:
    other = tmp_path / "intended.ios"
    other.write_text(APPENDIX.read_text().replace("percent 5", "percent 4"))
    done = manage("mqc", "diff", str(APPENDIX), str(other), "--platform", "cisco-12400")
    assert done.returncode == 1, done.stderr
    commands, mark, rollback = done.stdout.partition("! rollback\n")
    assert mark
    assert "percent 4" in commands
    assert "percent 5" in rollback
    as_json = manage("mqc", "diff", str(APPENDIX), str(other), "--json")
    assert as_json.returncode == 1
    assert [line["text"] for line in json.loads(as_json.stdout)["commands"]]


BAD = {
    "missing": (None, "No such file"),
    "empty": (b"", "the text is empty"),
    "binary": (b"\x7fELF\x00\x00", "line 1: binary data"),
    "prose": (b"no router ever said this\n", "no IOS configuration"),
    "IOS-XR": (
        b"policy-map P\n class class-default\n !\n end-policy-map\n",
        "line 4: `end-policy-map` is IOS-XR",
    ),
    "cut off": (b"version 12.4\nhostname r\n", "cut off"),
}


@pytest.mark.parametrize(("content", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_two_and_a_reason(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "captured.ios"
    if content is not None:
        file.write_bytes(content)
    for words in (("mqc", "parse", str(file)), ("mqc", "diff", str(file), str(APPENDIX))):
        done = manage(*words)
        assert done.returncode == 2
        assert done.stdout == ""
        assert f"{file}: " in done.stderr
        assert reason in done.stderr
        assert "Traceback" not in done.stderr


def test_what_is_intended_is_read_strictly(tmp_path: Path) -> None:
    file = tmp_path / "intended.ios"
    file.write_text("class-map match-all A\n match dscp 46\n!\npolcy-map P\n")
    done = manage("mqc", "diff", str(APPENDIX), str(file))
    assert done.returncode == 2
    assert f"{file}:4:1: `polcy-map P`" in done.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--platform", "asr9000"), "IOS-XR"),
        (("--platform", "toaster"), "there are cisco-12000, cisco-7200, cisco-iosxe"),
        (("--platform", "cisco-7200", "--ios", "twelve"), "not an IOS release"),
    ],
)
def test_a_platform_that_is_none(words: tuple[str, ...], reason: str) -> None:
    done = manage("mqc", "parse", str(APPENDIX), *words)
    assert done.returncode == 2
    assert reason in done.stderr


def test_counters_as_json(tmp_path: Path) -> None:
    done = manage("counters", str(OUTPUT))
    assert done.returncode == 0, done.stderr
    (policy,) = json.loads(done.stdout)
    assert policy["interface"] == "POS1/0"
    assert policy["classes"][0]["police"]["exceeded"] == {
        "packets": 300,
        "bytes": 38400,
        "actions": ["drop"],
        "rate_bps": 250000,
    }
    for content in (b"", b"POS1/0 is up, line protocol is up\n"):
        file = tmp_path / "output.txt"
        file.write_bytes(content)
        refused = manage("counters", str(file))
        assert (refused.returncode, refused.stdout) == (2, "")
        assert str(file) in refused.stderr


@pytest.mark.parametrize(
    ("bandwidth", "noted"), [(" bandwidth 155000\n", True), (" bandwidth 100000\n", False), ("", False)]
)
def test_percent_and_rate_that_are_equal_today_are_noted_and_still_differ(
    bandwidth: str, noted: bool, tmp_path: Path
) -> None:
    policy = "class-map match-all EF\n match dscp ef\npolicy-map IN\n class EF\n  police cir {}\n"
    running, intended = tmp_path / "running", tmp_path / "intended"
    bound = f"interface POS1/0\n{bandwidth} service-policy input IN\n"
    running.write_text(policy.format("percent 5") + bound)
    intended.write_text(policy.format("7750000"))
    done = manage("mqc", "diff", str(running), str(intended))
    assert done.returncode == 1, "never merged"
    assert "police cir 7750000" in done.stdout
    assert ("equal today, 7.75 Mbit/s either way at BW 155 Mbit/s" in done.stderr) is noted
    told = json.loads(manage("mqc", "diff", str(running), str(intended), "--json").stdout)
    assert any("either way" in text for text in told["warnings"]) is noted
    assert [(each["held"], each["wanted"], each["bps"]) for each in told["equal_today"]] == (
        [("police cir percent 5", "police cir 7750000", 7_750_000)] if noted else []
    )


EXPLAINED = """\
class-map match-all EF
 match dscp ef
policy-map NON-PARTICIPANT
 class class-default
  set dscp 0
policy-map TRUSTED-IN
 class EF
  police cir percent {percent}
 class class-default
  set dscp 0
interface POS1/0
 bandwidth 155000
 service-policy input TRUSTED-IN
interface POS1/1
 service-policy input {second}
"""


def explained(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    running, intended = tmp_path / "running", tmp_path / "intended"
    running.write_text(EXPLAINED.format(percent=5, second="NON-PARTICIPANT"))
    intended.write_text(EXPLAINED.format(percent=4, second="TRUSTED-IN").replace(" bandwidth 155000\n", ""))
    return manage("mqc", "diff", str(running), str(intended), "--explain", *options)


def test_explain_says_below_each_line_what_it_changes(tmp_path: Path) -> None:
    done = explained(tmp_path)
    assert done.returncode == 1, done.stderr
    commands, _, rollback = done.stdout.partition("! rollback\n")
    lines = commands.splitlines()
    assert lines[:2] == [
        "! start",
        "!   POS1/0: TRUSTED-IN: the NREN marks; EF policed at 5 % of BW = 7.75 Mbit/s; the rest becomes DSCP 0",
    ]
    police = next(at for at, line in enumerate(lines) if line.startswith("  police cir percent 4"))
    assert lines[police + 1] == (
        "!   -> POS1/0: EF policed at 4 % of BW = 6.2 Mbit/s (was 5 % of BW = 7.75 Mbit/s)"
    )
    off = lines.index(" no service-policy input NON-PARTICIPANT")
    assert lines[off + 1].startswith("!   -> GAP OPENS POS1/1: NON-PARTICIPANT off: nobody marks")
    assert lines[lines.index(" service-policy input TRUSTED-IN") + 1].startswith("!   -> GAP CLOSES POS1/1")
    assert "! end" in lines
    assert "! start" in rollback and "GAP OPENS POS1/1: TRUSTED-IN off" in rollback
    plain = [line for line in done.stdout.splitlines() if not line.startswith("!") or line == "! rollback"]
    without = manage("mqc", "diff", str(tmp_path / "running"), str(tmp_path / "intended"))
    assert without.stdout.splitlines() == plain, "an explanation is comments and nothing else"


def test_explain_as_json_has_every_state(tmp_path: Path) -> None:
    told = json.loads(explained(tmp_path, "--json").stdout)
    forward = told["explanation"]["commands"]
    assert [line["line"] for line in forward["lines"]] == [line["text"] for line in told["commands"]]
    assert forward["safe"] is told["explanation"]["rollback"]["safe"] is True
    (change,) = next(line["changed"] for line in forward["lines"] if line["changed"])
    assert change["interface"] == "POS1/0"
    assert change["state"]["ef_rate"] == "percent 4"
    assert [line["gap"] for line in forward["lines"] if line["gap"]] == ["opens", "closes"]


def test_explain_of_equal_configurations_prints_nothing(tmp_path: Path) -> None:
    done = manage("mqc", "diff", str(APPENDIX), str(APPENDIX), "--explain")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


MARKING = "policy-map {}\n class class-default\n  set dscp 0\n"
BOUND_TO = "interface POS1/0\n service-policy input {}\n"


def test_a_policy_of_a_similar_name_is_nobodys_version(tmp_path: Path) -> None:
    """Identical or not: where INTENDED says nothing of its place it stays there, else it stays unbound; a note says so."""
    running, intended = tmp_path / "running", tmp_path / "intended"
    running.write_text("hostname r1\n" + MARKING.format("IN-10") + BOUND_TO.format("IN-10"))
    intended.write_text(MARKING.format("IN"))
    done = manage("mqc", "diff", str(running), str(intended))
    assert done.returncode == 1, done.stderr
    assert "IN-10" not in done.stdout
    assert "not compared: 1 policy-map that INTENDED does not name (IN-10)" in done.stderr
    intended.write_text(MARKING.format("IN") + BOUND_TO.format("IN"))
    done = manage("mqc", "diff", str(running), str(intended))
    assert done.returncode == 1, done.stderr
    assert "no policy-map IN-10" not in done.stdout
    assert "policy-map IN-10 is bound nowhere any more, and stays: INTENDED does not name it" in done.stderr
    running.write_text(
        "hostname r1\n" + MARKING.format("IN-10") + MARKING.format("IN") + BOUND_TO.format("IN")
    )
    assert manage("mqc", "diff", str(running), str(intended)).returncode == 0


def test_what_no_copy_can_stand_in_for_is_two_and_a_reason(tmp_path: Path) -> None:
    running, intended = tmp_path / "running", tmp_path / "intended"
    running.write_text("hostname r1\n" + MARKING.format("IN") + "control-plane\n service-policy input IN\n")
    intended.write_text(MARKING.format("IN").replace("dscp 0", "dscp 8"))
    done = manage("mqc", "diff", str(running), str(intended))
    assert (done.returncode, done.stdout) == (2, "")
    assert "policy-map IN cannot be changed in place" in done.stderr
    assert "control-plane" in done.stderr


@pytest.mark.parametrize("words", [("mqc", "parse"), ("mqc", "diff", str(APPENDIX))])
def test_a_reader_that_has_stopped_reading_is_no_traceback(words: tuple[str, ...]) -> None:
    """`mqc parse FILE | head -1`: what is left to say goes nowhere, and says so with the status of SIGPIPE."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, str(ROOT / "manage.py"), *words, str(XE)]
    with os.fdopen(writing, "wb") as cut:
        done = subprocess.run(command, stdout=cut, stderr=subprocess.PIPE, cwd=ROOT, timeout=120)
    assert done.returncode == 128 + 13
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr
