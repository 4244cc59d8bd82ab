"""SSH servers that share no library with the driver under test: OpenSSH's sshd, and paramiko with the algorithms of 2004.

Behind either stands a practice router (``lines``); the server only carries its bytes, as a terminal server does.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncssh
import paramiko

from tests.drivers.practice import PASSWORD
from tests.run import free_port

SSHD = "/usr/sbin/sshd"
# `crypt` is gone from Python 3.13: PASSWORD as shadow(5) has it, SHA-512 with the salt "practice".
HASH = "$6$practice$dBsi/1g2tedRnuMaJw00.tIcKUKyMYep2WXYjDISWXAEs0Dz1LwkTn2rhityMhNwfFm55YinBu2LDYn1Mjmpd."

SHELL = """\
#!{python} -IS
import os, select, socket, sys, tty
tty.setraw(0)
router = socket.socket(socket.AF_UNIX)
router.connect({path!r})
while True:
    ready = select.select([0, router], [], [])[0]
    if 0 in ready:
        typed = os.read(0, 4096)
        if not typed:
            break
        router.sendall(typed)
    if router in ready:
        said = router.recv(65536)
        if not said:
            break
        while said:
            said = said[os.write(1, said):]
"""

OLD = """\
KexAlgorithms diffie-hellman-group14-sha1
Ciphers aes128-cbc
MACs hmac-sha1
HostKeyAlgorithms ssh-rsa
"""


def why_no_sshd() -> str:
    """Why OpenSSH's sshd cannot be tried here; empty when it can."""
    if not Path(SSHD).exists():
        return "OpenSSH's sshd is not installed (openssh-server)"
    if os.geteuid() != 0:
        return "OpenSSH's sshd looks a password up in /etc/shadow; to lend it another takes root"
    private = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    return "no mount namespace may be made here" if private.returncode else ""


@contextmanager
def openssh(directory: Path, lines: Path, *, old: bool = False, more: str = "") -> Iterator[tuple[int, str]]:
    """sshd with a user "noc" of its own, seen by nobody else: port and host key. ``more``: lines of sshd_config(5)."""
    key = asyncssh.generate_private_key("ssh-rsa", key_size=2048)
    (directory / "key").write_bytes(key.export_private_key("openssh"))
    (directory / "key").chmod(0o600)
    shell = directory / "vty"
    shell.write_text(SHELL.format(python=Path(sys.executable).resolve(), path=str(lines)))
    shell.chmod(0o755)
    passwd = [line for line in Path("/etc/passwd").read_text().splitlines() if not line.startswith("noc:")]
    shadow = [line for line in Path("/etc/shadow").read_text().splitlines() if not line.startswith("noc:")]
    (directory / "passwd").write_text("\n".join([*passwd, f"noc:x:0:0:noc:/:{shell}", ""]))
    (directory / "shadow").write_text("\n".join([*shadow, f"noc:{HASH}:20000:0:99999:7:::", ""]))
    (directory / "shadow").chmod(0o600)
    port = free_port()
    (directory / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {directory}/key\nPidFile none\nUsePAM no\n"
        "PermitRootLogin yes\nPasswordAuthentication yes\nKbdInteractiveAuthentication no\n"
        "AuthorizedKeysFile none\nStrictModes no\nUseDNS no\nPrintMotd no\nPrintLastLog no\n"
        "AllowUsers noc\nAllowTcpForwarding yes\nLogLevel ERROR\n" + (OLD if old else "") + more
    )
    process = subprocess.Popen(
        ["unshare", "--mount", "--propagation", "private", "sh", "-ec",
         f"mount --bind {directory}/passwd /etc/passwd; mount --bind {directory}/shadow /etc/shadow; "
         "mount -t tmpfs tmpfs /run; mkdir /run/sshd; mount -t tmpfs tmpfs /var/log; "
         f"exec {SSHD} -D -e -f {directory}/sshd_config"],
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        _listening(port, process)
        yield port, " ".join(key.export_public_key("openssh").decode().split()[:2])
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _listening(port: int, process: subprocess.Popen[str]) -> None:
    for _attempt in range(200):
        if process.poll() is not None:
            break
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    process.kill()
    raise RuntimeError(f"sshd did not start: {process.communicate()[1]}")


class _Old(paramiko.ServerInterface):  # type: ignore[misc] # paramiko has no types
    def __init__(self, lines: Path, passwords: list[str]) -> None:
        self.lines = lines
        self.passwords = passwords

    def get_allowed_auths(self, username: str) -> str:
        return "password"

    def check_auth_password(self, username: str, password: str) -> int:
        self.passwords.append(password)
        right = (username, password) == ("noc", PASSWORD)
        return int(paramiko.AUTH_SUCCESSFUL if right else paramiko.AUTH_FAILED)

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)

    def check_channel_pty_request(self, *_: object) -> bool:
        return True

    def check_channel_shell_request(self, channel: paramiko.Channel) -> bool:
        threading.Thread(target=self._carry, args=[channel], daemon=True).start()
        return True

    def _carry(self, channel: paramiko.Channel) -> None:
        router = socket.socket(socket.AF_UNIX)
        router.connect(str(self.lines))

        def typed() -> None:
            with suppress(OSError):
                while data := channel.recv(4096):
                    router.sendall(data)
                router.shutdown(socket.SHUT_WR)

        threading.Thread(target=typed, daemon=True).start()
        with suppress(OSError):
            while data := router.recv(65536):
                channel.sendall(data)
        with suppress(OSError, EOFError):
            channel.close()
        router.close()


@contextmanager
def old_paramiko(lines: Path, passwords: list[str]) -> Iterator[tuple[int, str]]:
    """A server that knows SHA-1, CBC and ssh-rsa and nothing else: port and host key. ``passwords``: all it was offered."""
    key = paramiko.RSAKey.generate(1024)
    listening = socket.create_server(("127.0.0.1", 0))
    transports: list[paramiko.Transport] = []

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            transport = paramiko.Transport(connection)
            options = transport.get_security_options()
            options.kex = ("diffie-hellman-group14-sha1", "diffie-hellman-group1-sha1")
            options.ciphers = ("aes128-cbc", "3des-cbc")
            options.digests = ("hmac-sha1",)
            options.key_types = ("ssh-rsa",)
            transport.add_server_key(key)
            transports.append(transport)
            with suppress(OSError, EOFError, paramiko.SSHException):
                transport.start_server(server=_Old(lines, passwords), event=threading.Event())

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listening.getsockname()[1], f"ssh-rsa {key.get_base64()}"
    finally:
        listening.close()
        for transport in transports:
            transport.close()
