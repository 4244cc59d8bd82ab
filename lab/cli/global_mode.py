"""Global configuration: what opens a mode, what is kept as typed, the banner (ios-facts 3.1)."""

# ruff: noqa: ARG001, ARG002 - all handlers have one signature
from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from lab.cli.access_list import named, numbered
from lab.cli.class_map import class_map
from lab.cli.interface import interface, keep
from lab.cli.policy_map import policy_map
from lab.cursor import Cursor
from lab.errors import IncompleteCommand, InvalidInput
from lab.mode import Handler, Login, Mode
from lab.store import Block

# First words of lines that are kept as typed.
KEPT = (
    "aaa", "alias", "arp", "boot", "buffers", "card", "cdp", "clns", "clock", "config-register", "enable", "exception",
    "file", "hw-module", "isis", "logging", "memory-size", "mpls", "multilink", "ntp", "privilege", "radius-server",
    "redundancy", "scheduler", "security", "service", "snmp-server", "tacacs-server", "tag-switching", "tftp-server",
    "username", "vrf",
)  # fmt: skip
# First words of blocks: a header, and lines under it kept as typed.
BLOCKS = ("archive", "controller", "crypto", "key", "line", "route-map", "router")
IP_KEPT = (
    "bootp", "default-gateway", "default-network", "finger", "icmp", "identd", "local", "nat", "sla", "source-route",
    "vrf",
    "bgp-community", "cef", "classless", "domain", "domain-list", "domain-lookup", "domain-name", "flow", "flow-export",
    "forward-protocol", "ftp", "host", "http", "multicast-routing", "name-server", "pim", "prefix-list", "rcmd", "route",
    "routing", "scp", "ssh", "subnet-zero", "tcp", "tftp",
)  # fmt: skip
IPV6_KEPT = ("cef", "host", "hop-limit", "icmp", "multicast-routing", "neighbor", "pim", "prefix-list", "route",
             "unicast-routing")  # fmt: skip
_OPENERS = ("access-list", "banner", "class-map", "hostname", "interface", "policy-map", "version")
_BLOCK_PROMPTS = {"line": "config-line", "router": "config-router", "route-map": "config-route-map",
                  "archive": "config-archive", "key": "config-keychain", "controller": "config-controller",
                  "crypto": "config-crypto"}  # fmt: skip
BLOCK_WORDS = {
    "line": ("access-class", "autoselect", "escape-character", "exec", "exec-timeout", "history", "ipv6", "length", "location",
             "logging", "login", "modem", "no", "notify", "password", "privilege", "rotary", "session-timeout", "speed",
             "stopbits", "transport", "width"),
    "router": ("address-family", "area", "bgp", "distance", "exit-address-family", "is-type", "isis", "log-adjacency-changes",
               "max-lsp-lifetime", "metric-style", "mpls", "neighbor", "net", "network", "no", "passive-interface",
               "redistribute", "router-id", "set-overload-bit", "spf-interval", "synchronization", "timers",
               "auto-summary", "maximum-paths", "multi-topology"),
    "route-map": ("match", "set", "description"),
    "archive": ("path", "maximum", "write-memory", "time-period", "log"),
    "key": ("key", "key-string", "accept-lifetime", "send-lifetime"),
    "controller": ("framing", "clock", "description", "linecode", "shutdown"),
    "crypto": ("encryption", "authentication", "group", "hash", "lifetime", "quit", "certificate"),
}  # fmt: skip


class GlobalMode(Mode):
    """``config``."""

    prompt = "config"

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return _commands(session.train.has_archive)


class BlockMode(Mode):
    """A section of lines kept as typed: ``router isis``, ``line vty 0 4``."""

    def __init__(self, word: str, header: str) -> None:
        self.word = word
        self.header = header
        self.prompt = _BLOCK_PROMPTS[word]

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return {word: self._keep(word) for word in BLOCK_WORDS[self.word] if word != "no"}

    def run(self, session: Login, cursor: Cursor) -> str:
        """A full word of global configuration is no abbreviation of one of these: ``router bgp`` in ``router``."""
        at = 1 if cursor.peek().lower() == "no" else 0
        if len(cursor.words) > at:
            word = cursor.words[at].text.lower()
            if word in (*KEPT, *BLOCKS, *_OPENERS) and word not in BLOCK_WORDS[self.word]:
                raise InvalidInput(cursor.words[at].column)
        return super().run(session, cursor)

    def _keep(self, word: str) -> Handler:
        def handle(session: Login, cursor: Cursor, no: bool) -> None:
            lines = session.config.blocks[self.header].lines
            text = f"{word} {cursor.rest()}".strip()
            if no:
                before = len(lines)
                lines[:] = [line for line in lines if line != text and not line.startswith(text + " ")]
                if len(lines) == before and f"no {text}" not in lines:
                    lines.append(f"no {text}")
            else:
                lines[:] = [line for line in lines if line != f"no {text}"]
                if text not in lines:
                    lines.append(text)

        return handle


@cache
def _commands(has_archive: bool) -> Mapping[str, Handler]:
    table: dict[str, Handler] = {word: _kept(word) for word in KEPT}
    table |= {word: _block(word) for word in BLOCKS if word != "archive" or has_archive}
    return table | {
        "access-list": numbered,
        "banner": _banner,
        "class-map": class_map,
        "hostname": _hostname,
        "interface": interface,
        "ip": _ip,
        "ipv6": _ipv6,
        "policy-map": policy_map,
        "version": _version,
    }


def _kept(word: str) -> Handler:
    def handle(session: Login, cursor: Cursor, no: bool) -> None:
        if not cursor.more and word not in ("redundancy", "cdp"):
            raise IncompleteCommand
        keep(session.config.lines, f"{word} {cursor.rest()}".strip(), no)

    return handle


def _block(word: str) -> Handler:
    def handle(session: Login, cursor: Cursor, no: bool) -> None:
        if not cursor.more and word != "archive":
            raise IncompleteCommand
        header = f"{word} {cursor.rest()}".strip()
        blocks = session.config.blocks
        if no:
            blocks.pop(header, None)
            return
        blocks.setdefault(header, Block(header))
        session.stack.append(BlockMode(word, header))

    return handle


def _ip(session: Login, cursor: Cursor, no: bool) -> str:
    word = cursor.keyword("access-list", *IP_KEPT)
    if word == "access-list":
        return named(session, cursor, no, f"ip {cursor.keyword('extended', 'standard')}")
    keep(session.config.lines, f"ip {word} {cursor.rest()}".strip(), no)
    return ""


def _ipv6(session: Login, cursor: Cursor, no: bool) -> str:
    word = cursor.keyword("access-list", "router", *IPV6_KEPT)
    if word == "access-list":
        return named(session, cursor, no, "ipv6")
    if word == "router":
        header = f"ipv6 router {cursor.rest()}"
        session.config.blocks.setdefault(header, Block(header))
        session.stack.append(BlockMode("router", header))
        return ""
    keep(session.config.lines, f"ipv6 {word} {cursor.rest()}".strip(), no)
    return ""


def _hostname(session: Login, cursor: Cursor, no: bool) -> None:
    name = "Router" if no else cursor.word(63)
    cursor.rest() if no else cursor.end()
    session.config.hostname = name


def _version(session: Login, cursor: Cursor, no: bool) -> None:
    cursor.rest()  # a configuration of another release may be loaded; the release stays


def _banner(session: Login, cursor: Cursor, no: bool) -> str:
    kind = cursor.keyword("exec", "incoming", "login", "motd")
    if no:
        cursor.rest()
        session.config.banners.pop(kind, None)
        return ""
    if not cursor.more:
        raise IncompleteCommand
    text = cursor.rest()
    mark = "^C" if text.startswith("^C") else text[0]
    return session.begin_banner(kind, mark, text[len(mark) :])
