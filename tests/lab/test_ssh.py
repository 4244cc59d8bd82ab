"""The routers over real SSH, as a process of their own: clients, paging, control, NVRAM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import napalm
import paramiko
import pytest

from lab.control import ControlError
from tests.lab.practice import Practice
from tests.lab.routers import BASELINE


@pytest.mark.parametrize("name", ["gsr", "vxr"])
def test_netmiko_logs_in_enables_configures_and_saves(practice: Practice, name: str) -> None:
    connection = practice.netmiko(name)
    assert connection.find_prompt() == f"{name}>"
    connection.enable()
    assert connection.find_prompt() == f"{name}#"
    said = connection.send_config_set(BASELINE.splitlines())
    assert "%" not in said
    assert f"{name}(config-pmap-c)#" in said
    running = connection.send_command("show running-config")
    assert "policy-map TRUSTED" in running
    assert "--More--" not in running
    before = (
        (practice.state / "nvram" / f"{name}.cfg").read_text()
        if (practice.state / "nvram" / f"{name}.cfg").exists()
        else ""
    )
    assert "[OK]" in connection.save_config()
    saved = (practice.state / "nvram" / f"{name}.cfg").read_text()
    assert saved != before
    assert "policy-map TRUSTED" in saved
    connection.send_config_set(
        [f"no policy-map {policy}" for policy in ("TRUSTED", "UNTRUSTED")]
        + ["no class-map GOLD", "no class-map SCAVENGER"]
    )
    connection.save_config()
    connection.disconnect()


def test_napalm_reads_facts_and_configurations(practice: Practice) -> None:
    for name, version, model in (("gsr", "12.0(28)S", "12416/PRP"), ("vxr", "12.4(24)T", "7206VXR")):
        driver = napalm.get_network_driver("ios")(
            "127.0.0.1",
            "noc",
            "pw",
            optional_args={"port": practice.routers[name]["port"], "secret": "secret"},
        )
        driver.open()
        facts, configs = driver.get_facts(), driver.get_config()
        driver.close()
        assert facts["hostname"] == name
        assert version in facts["os_version"]
        assert facts["model"] == model
        assert facts["fqdn"] == f"{name}.practice.example.net"
        assert "POS1/0" in facts["interface_list"]
        assert facts["serial_number"].startswith("TBM")
        assert f"hostname {name}" in configs["running"]
        assert f"hostname {name}" in configs["startup"]


def test_legacy_profile_speaks_only_what_such_routers_spoke(practice: Practice) -> None:
    transport = paramiko.Transport(("127.0.0.1", practice.routers["gsr"]["port"]))
    transport.start_client(timeout=60)
    assert transport.host_key_type == "ssh-rsa"
    assert transport.remote_cipher == "aes128-cbc"
    assert transport.remote_mac == "hmac-sha1"
    transport.close()
    refused = paramiko.Transport(("127.0.0.1", practice.routers["gsr"]["port"]))
    refused.get_security_options().ciphers = ("aes256-ctr",)
    with pytest.raises(paramiko.SSHException):
        refused.start_client(timeout=60)
    refused.close()


def test_paging_until_terminal_length_0(practice: Practice) -> None:
    shell = practice.shell("vxr")
    shell.until("vxr>")
    shell.type("enable\r", "Password: ")
    assert "secret" not in shell.type("secret\r", "vxr#")
    first = shell.type("show running-config\r", " --More-- ")
    assert first.count("\n") == 24
    second = shell.type(" ", " --More-- ")
    assert second.count("\n") == 23
    assert shell.type("\r", " --More-- ").count("\n") == 1
    assert "end" not in shell.type("q", "vxr#")
    shell.type("terminal length 0\r", "vxr#")
    assert "\r\nend\r\n" in shell.type("show running-config\r", "vxr#")
    shell.close()


def test_keys_are_echoed_and_edited(practice: Practice) -> None:
    shell = practice.shell("vxr")
    assert "practice router. Authorised use only." in shell.until("vxr>")
    assert shell.type("show cluck\x7f\x7f\x7fock\r", "vxr>").startswith("show cluck\b \b\b \b\b \bock\r\n")
    assert "% Unrecognized command" in shell.type("sh?", "vxr>sh")
    shell.type("\x15enable\rsecret\r", "vxr#")
    shell.type("configure terminal\r", "(config)#")
    assert shell.type("interface POS1/0\x1a", "vxr#").startswith("interface POS1/0^Z")
    shell.type("conf t\r", "(config)#")
    shell.type("\x03", "vxr#")
    shell.close()


def test_a_confirm_takes_one_key(practice: Practice) -> None:
    shell = practice.shell("vxr")
    shell.type("enable\rsecret\r", "vxr#")
    shell.type("reload in 5\r", "[confirm]")
    shell.type("\r", "vxr#")
    assert "Reload scheduled for" in shell.type("show reload\r", "vxr#")
    assert "SHUTDOWN ABORTED" in shell.type("reload cancel\r", "vxr#")
    shell.close()


def test_one_command_without_a_terminal(practice: Practice) -> None:
    shell = practice.shell("vxr")
    _, out, _ = shell.client.exec_command("show clock")
    assert "UTC" in out.read().decode()
    shell.close()


def test_wide_lines_scroll_behind_a_dollar(practice: Practice) -> None:
    shell = practice.shell("vxr")
    shell.type("enable\rsecret\r", "vxr#")
    shell.type("conf t\r", "(config)#")
    wide = "snmp-server location " + "x" * 70
    assert "$" in shell.type(wide + "\r", "(config)#")
    shell.type("\x1aterminal width 511\rconf t\r", "(config)#")
    assert "$" not in shell.type(wide + "\r", "vxr(config)#")
    shell.close()
    practice.call("fault", router="vxr", fault={"kind": "truncate-echo", "width": 30})
    shell = practice.shell("vxr")
    shell.until("vxr>")
    assert "$" in shell.type("show version | include the-long-word\r", "vxr>")
    shell.close()


def test_noise_arrives_by_itself_after_the_prompt(practice: Practice) -> None:
    practice.call(
        "fault",
        router="gsr",
        fault={"kind": "noise", "match": "class-map", "text": "%LINK-3-UPDOWN: noise", "times": 1},
    )
    shell = practice.shell("gsr")
    shell.type("enable\rsecret\r", "gsr#")
    shell.type("conf t\r", "(config)#")
    text = shell.type("class-map X\r", "%LINK-3-UPDOWN: noise\r\ngsr(config-cmap)#")
    assert text.index("(config-cmap)#") < text.index("%LINK-3-UPDOWN")
    shell.close()


def test_line_card_refusal_over_ssh(practice: Practice) -> None:
    shell = practice.shell("gsr")
    shell.type("enable\rsecret\r", "gsr#")
    for line in (
        "conf t",
        "policy-map P",
        "class class-default",
        "shape average 64000",
        "random-detect",
        "interface POS1/0",
    ):
        shell.type(line + "\r", ")#")
    text = shell.type("service-policy input P\r", "(config-if)#")
    assert "SLOT" not in text.split("(config-if)#")[0]
    assert practice.call("state", router="gsr")["attachments"] == [
        {"interface": "POS1/0", "pvc": None, "direction": "input", "policy": "P"}
    ]  # shape makes WRED legal on input of an engine 3
    shell.type("policy-map P\r", ")#")
    shell.type("class class-default\r", ")#")
    shell.channel.send(b"no shape\r")
    assert "SLOT 1:" in shell.until("need shape in input direction\r\ngsr(config-pmap-c)#")
    assert practice.call("state", router="gsr")["attachments"] == []
    shell.close()


def test_state_log_and_another_hand(practice: Practice) -> None:
    reply = practice.call("configure", router="vxr", lines=["class-map HAND", "match dscp 10", "bogus"])
    assert reply["replies"][:2] == ["", ""]
    assert "% Invalid" in reply["replies"][2]
    state = practice.call("state", router="vxr")
    assert state["unsaved"] is True
    assert "class-map match-all HAND" in state["running"]
    assert "HAND" not in state["startup"]
    assert [(entry["user"], entry["line"]) for entry in state["log"]] == [
        ("console", "class-map HAND"), ("console", "match dscp 10"), ("console", "bogus"),
    ]  # fmt: skip
    shell = practice.shell("vxr")
    shell.until("vxr>")
    assert [item["user"] for item in practice.call("state", router="vxr")["sessions"]] == ["noc"]
    shell.close()


def test_traffic_moves_the_counters(practice: Practice) -> None:
    practice.call(
        "configure",
        router="gsr",
        lines=[*BASELINE.splitlines(), "interface POS1/0", "service-policy input TRUSTED"],
    )
    answer = practice.call(
        "traffic", router="gsr", interface="POS1/0", direction="input", seconds=2,
        packets=[{"dscp": 46, "bytes": 996, "rate_bps": 15_000_000, "src": "2001:db8::1", "dst": "2001:db8::2"}],
    )  # fmt: skip
    gold = answer["counters"]["GOLD"]
    assert gold["conformed"]["packets"] > 0
    assert gold["exceeded"]["packets"] > 0
    connection = practice.netmiko("gsr")
    connection.enable()
    text = connection.send_command("show policy-map interface POS1/0")
    connection.disconnect()
    assert (
        f"exceeded {gold['exceeded']['packets']} packets, {gold['exceeded']['bytes']} bytes; action:drop"
        in text
    )


@pytest.mark.parametrize(
    ("op", "fields"),
    [("nonsense", {"router": "vxr"}), ("state", {"router": "nobody"}), ("fault", {"router": "vxr", "fault": {"kind": "x"}}),
     ("configure", {"router": "vxr", "lines": "x"}),
     ("traffic", {"router": "vxr", "interface": "POS1/0", "direction": "input", "packets": []})],
)  # fmt: skip
def test_wrong_operations_are_answered(practice: Practice, op: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ControlError):
        practice.call(op, **fields)


def test_restart_keeps_ports_keys_and_nvram(tmp_path: Path) -> None:
    practice = Practice(tmp_path)
    first = practice.routers
    practice.call("configure", router="vxr", lines=["class-map SAVED"])
    practice.call("save", router="vxr")
    practice.call("configure", router="vxr", lines=["class-map LOST"])
    practice.stop()
    assert not (practice.state / "control.sock").exists()
    practice.start()
    assert practice.routers == first
    running = practice.running("vxr")
    assert "SAVED" in running
    assert "LOST" not in running
    practice.stop()


def test_a_bad_specification_ends_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text(
        '{"routers": [{"name": "r1", "platform": "vax", "ios": "12.0(28)S"}]}'
    )
    done = subprocess.run(
        [sys.executable, "-m", "lab", str(tmp_path / "spec.json"), "--state", str(tmp_path / "s")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "platform: 'vax' is none of" in done.stderr
