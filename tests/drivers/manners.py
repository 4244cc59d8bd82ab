"""What a scripted router is told of its manners: how it echoes, prompts, wraps, says things late or breaks off."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

LEGACY_ALGORITHMS = {
    "kex_algs": ["diffie-hellman-group14-sha1", "diffie-hellman-group1-sha1"],
    "encryption_algs": ["aes128-cbc", "3des-cbc"],
    "mac_algs": ["hmac-sha1"],
    "signature_algs": ["ssh-rsa"],
}

RUNNING = "\n".join(
    [
        "Building configuration...",
        "",
        "Current configuration : 412 bytes",
        "!",
        "version 12.3",
        "hostname {host}",
        "enable secret 5 $1$abcd$0123456789abcdefghijkl",
        "banner motd ^C",
        "{host}#",
        "^C",
        "interface POS1/0",
        " service-policy input TRUSTED-IN",
        "!",
        "snmp-server community topsecret RO",
        "ntp clock-period 17180001",
        "end",
        "",
    ]
)


@dataclass
class Manners:
    """How the router writes. ``answers`` maps a pattern to what a line that matches it brings."""

    hostname: str = "nl6"
    password: str = "letmein"
    enable: str | None = "raise"
    privileged: bool = False
    echo: bool = True
    line_end: str = "\r\n"
    wrap_echo_at: int | None = None
    scroll_echo_at: int | None = None
    whole_echo_first: bool = False
    pager: bool = False
    knows_terminal_length: bool = True
    banner: str = ""
    prompt_delay_s: float = 0.0
    byte_pause_s: float = 0.0
    timestamps: bool = False
    noise: dict[str, str] = field(default_factory=dict)
    """Before the reply to a line that matches: text in the middle of things."""
    echo_noise: dict[str, str] = field(default_factory=dict)
    """In the middle of the echo of a line that matches; the echo goes on after it."""
    redraw_noise: dict[str, str] = field(default_factory=dict)
    """After the prompt that follows a line that matches; the prompt is drawn again."""
    answers: dict[str, str] = field(default_factory=dict)
    late: dict[str, tuple[float | threading.Event, str]] = field(default_factory=dict)
    """So many seconds after the prompt, or when the test says so: text, and no new prompt."""
    drop_at: str | None = None
    hang_at: str | None = None
    refuse_vty: bool = False
    by_keyboard: bool = False
    """The password is asked for (keyboard-interactive), as AAA does, and taken no other way."""
    forwards: bool = False
    """It carries connections to wherever it is asked, as a jump host does."""
    cut_short: int = 0
    """So many times ``show running-config`` breaks off in the middle."""
    algorithms: dict[str, list[str]] = field(default_factory=dict)
    transport: dict[str, int] = field(default_factory=dict)
    """Of the SSH below: ``window``, ``rekey_bytes``."""
