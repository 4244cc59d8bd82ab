"""Faults of the wire: a session that drops, hangs, crawls; a router that is gone, closed, or somebody else."""

from __future__ import annotations

import json
import socket
import time

import netmiko
import paramiko
import pytest

from tests.lab.practice import Practice


def test_drop_in_the_middle(practice: Practice) -> None:
    practice.call("fault", router="vxr", fault={"kind": "drop", "match": "match dscp 12", "when": "after"})
    connection = practice.netmiko("vxr")
    connection.enable()
    with pytest.raises((netmiko.exceptions.ReadTimeout, OSError, EOFError, netmiko.exceptions.ReadException)):
        connection.send_config_set(
            ["class-map X", "match dscp 10", "match dscp 12", "match dscp 14"], read_timeout=3
        )
    running = practice.running("vxr")
    assert "match  dscp af12" in running
    assert "match  dscp af13" not in running
    assert practice.call("state", router="vxr")["sessions"] == []


def test_hang(practice: Practice) -> None:
    practice.call("fault", router="vxr", fault={"kind": "hang", "match": "class-map STUCK"})
    shell = practice.shell("vxr")
    shell.type("enable\rsecret\r", "vxr#")
    shell.type("conf t\r", "(config)#")
    shell.channel.settimeout(0.5)
    with pytest.raises(socket.timeout):
        shell.type("class-map STUCK\r", "(config-cmap)#")
    shell.close()
    assert "STUCK" not in practice.running("vxr")


def test_slow(practice: Practice) -> None:
    shell = practice.shell("vxr")
    shell.until("vxr>")
    practice.call("fault", router="vxr", fault={"kind": "slow", "seconds": 0.4})
    begun = time.monotonic()
    shell.type("show clock\r", "vxr>")
    assert time.monotonic() - begun >= 0.4
    shell.close()


def test_wrong_password(practice: Practice) -> None:
    with pytest.raises(netmiko.exceptions.NetmikoAuthenticationException):
        practice.netmiko("vxr", password="guess")
    practice.call("fault", router="vxr", fault={"kind": "wrong-password"})
    with pytest.raises(netmiko.exceptions.NetmikoAuthenticationException):
        practice.netmiko("vxr")


def test_unreachable_and_back(practice: Practice) -> None:
    shell = practice.shell("vxr")
    shell.until("vxr>")
    practice.call("fault", router="vxr", fault={"kind": "unreachable"})
    assert shell.channel.recv(1) == b""
    shell.close()
    with pytest.raises(netmiko.exceptions.NetmikoTimeoutException):
        practice.netmiko("vxr")
    practice.call("clear", router="vxr")
    practice.shell("vxr").close()


def test_vty_refused_and_closed(practice: Practice) -> None:
    practice.call("fault", router="vxr", fault={"kind": "vty-refused"})
    shell = practice.shell("vxr")
    assert "% Connection refused" in shell.until("never")
    shell.close()
    practice.call("clear")
    practice.call("fault", router="vxr", fault={"kind": "vty-closed"})
    with pytest.raises((paramiko.SSHException, EOFError, OSError)):
        practice.shell("vxr")


@pytest.mark.parametrize("name", ["gsr", "vxr"])
def test_new_host_key(practice: Practice, name: str) -> None:
    before = practice.routers[name]["host_key"]
    after = practice.call("hostkey", router=name)["host_key"]
    assert after != before
    assert json.loads((practice.state / "routers.json").read_text())[name]["host_key"] == after
    transport = paramiko.Transport(("127.0.0.1", practice.routers[name]["port"]))
    transport.start_client(timeout=60)
    key = transport.get_remote_server_key()
    transport.close()
    assert f"{key.get_name()} {key.get_base64()}" == after


def test_more_logins_than_vtys(practice: Practice) -> None:
    shells = [practice.shell("vxr") for _ in range(5)]
    for shell in shells:
        shell.until("vxr>")
    with pytest.raises((paramiko.SSHException, EOFError, OSError)):
        practice.shell("vxr")
    shells.pop().close()
    deadline = time.monotonic() + 60
    while len(practice.call("state", router="vxr")["sessions"]) == 5:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    shells.append(practice.shell("vxr"))
    for shell in shells:
        shell.close()


def test_drop_while_reading(practice: Practice) -> None:
    practice.call("fault", router="vxr", fault={"kind": "drop", "match": "^show running", "where": "exec"})
    shell = practice.shell("vxr")
    shell.until("vxr>")
    shell.type("enable\rsecret\r", "vxr#")
    shell.channel.send(b"show running-config\r")
    assert shell.until("never").strip() == "show running-config"
    assert shell.channel.closed or shell.channel.eof_received
    shell.close()
