"""``interface``, subinterfaces, ``pvc`` and ``service-policy`` (ios-facts 2.3, 2.8, 3.1)."""

# ruff: noqa: ARG002 - all handlers have one signature
from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Interface

from lab import policies
from lab.cli.class_map import NAME_LENGTH
from lab.cursor import Cursor
from lab.errors import IncompleteCommand, InvalidInput, Refusal
from lab.mode import Handler, Login, Mode
from lab.names import CREATABLE_TYPES, parent_of
from lab.store import Interface, Pvc

# Lines of an interface the router accepts and keeps as typed; nothing here depends on them.
KEPT = (
    "arp", "atm", "bfd", "carrier-delay", "cdp", "clns", "clock", "crc", "dampening", "delay", "dialer", "duplex",
    "encapsulation", "framing", "full-duplex", "half-duplex", "hold-queue", "isis", "keepalive", "load-interval",
    "logging", "loopback", "mac-address", "media-type", "mpls", "mtu", "negotiation", "ntp", "pos", "ppp",
    "rate-limit", "serial", "snmp", "speed", "tag-switching", "transmit-interface", "tunnel", "tx-ring-limit",
)  # fmt: skip
IP_WORDS = (
    "address", "access-group", "broadcast-address", "directed-broadcast", "flow", "helper-address", "igmp", "load-sharing",
    "mtu", "ospf", "pim", "policy", "proxy-arp", "redirects", "route-cache", "router", "rsvp", "unnumbered",
    "unreachables", "verify", "vrf",
)  # fmt: skip
IPV6_WORDS = (
    "address", "enable", "mld", "mtu", "nd", "ospf", "pim", "redirects", "rip", "router", "traffic-filter",
    "unreachables", "unnumbered", "verify",
)  # fmt: skip
PVC_KEPT = ("broadcast", "encapsulation", "ilmi", "inarp", "oam", "oam-pvc", "protocol", "tx-ring-limit")


class PolicyHolder(Mode):
    """What can carry a service-policy: an interface or a PVC."""

    interface: str
    pvc: str | None = None

    def _service_policy(self, session: Login, cursor: Cursor, no: bool) -> str:
        direction = cursor.keyword("input", "output")
        if no and not cursor.more and session.train.release.is_xe:
            return policies.detach_named(session.device, (self.interface, self.pvc, direction), None)
        name = cursor.word(NAME_LENGTH)  # classic IOS wants the name also after `no`
        cursor.end()
        point = (self.interface, self.pvc, direction)
        if no:
            return policies.detach_named(session.device, point, name)
        return policies.attach(session, point, name)


class InterfaceMode(PolicyHolder):
    """``config-if`` or ``config-subif``."""

    def __init__(self, name: str) -> None:
        self.interface = name
        self.prompt = "config-subif" if "." in name else "config-if"
        self._table = self._commands()

    def commands(self, session: Login) -> Mapping[str, Handler]:
        return self._table

    def _commands(self) -> Mapping[str, Handler]:
        table: dict[str, Handler] = {word: self._keep(word) for word in KEPT}
        table |= {
            "bandwidth": self._bandwidth,
            "description": self._description,
            "ip": self._ip,
            "ipv6": self._ipv6,
            "max-reserved-bandwidth": self._max_reserved,
            "service-policy": self._service_policy,
            "shutdown": self._shutdown,
        }
        if self.interface.startswith("ATM"):
            table["pvc"] = self._pvc
        return table

    def _item(self, session: Login) -> Interface:
        found = session.config.interfaces.get(self.interface)
        if found is None:  # another session removed it meanwhile
            raise Refusal(f"% Interface {self.interface} does not exist")
        return found

    def _keep(self, word: str) -> Handler:
        def handle(session: Login, cursor: Cursor, no: bool) -> None:
            keep(self._item(session).other, f"{word} {cursor.rest()}".strip(), no)

        return handle

    def _bandwidth(self, session: Login, cursor: Cursor, no: bool) -> str:
        value = None if no else cursor.number(1, 100_000_000)
        cursor.rest() if no else cursor.end()
        self._item(session).bandwidth = value
        return policies.recheck(session.device, self.interface)  # ios-facts 1.4: the percent base moves

    def _max_reserved(self, session: Login, cursor: Cursor, no: bool) -> str:
        value = None if no else cursor.number(1, 100)
        cursor.rest() if no else cursor.end()
        self._item(session).max_reserved = value
        return policies.recheck(session.device, self.interface)

    def _description(self, session: Login, cursor: Cursor, no: bool) -> None:
        if not no and not cursor.more:
            raise IncompleteCommand
        text = cursor.rest()
        self._item(session).description = None if no else text

    def _shutdown(self, session: Login, cursor: Cursor, no: bool) -> None:
        cursor.end()
        item = self._item(session)
        if item.shutdown == no:
            session.device.log_line(
                f"%LINK-3-UPDOWN: Interface {item.name}, changed state to up"
                if no
                else f"%LINK-5-CHANGED: Interface {item.name}, changed state to administratively down"
            )
        item.shutdown = not no

    def _ip(self, session: Login, cursor: Cursor, no: bool) -> None:
        word = cursor.keyword(*IP_WORDS)
        item = self._item(session)
        if word != "address":
            keep(item.other, f"ip {word} {cursor.rest()}".strip(), no)
            return
        if no:
            cursor.rest()
            item.ip = None
            return
        address, mask = _dotted(cursor), _dotted(cursor)
        cursor.end()
        item.ip = f"{address} {mask}"

    def _ipv6(self, session: Login, cursor: Cursor, no: bool) -> None:
        word = cursor.keyword(*IPV6_WORDS)
        item = self._item(session)
        if word != "address":
            keep(item.other, f"ipv6 {word} {cursor.rest()}".strip(), no)
            return
        if no and not cursor.more:
            item.ipv6.clear()
            return
        text = cursor.peek()
        try:
            address = IPv6Interface(text)
        except ValueError:
            raise cursor.invalid() from None
        if "/" not in text:
            cursor.word()
            cursor.keyword("link-local")
            line = f"{str(address.ip).upper()} link-local"
        else:
            cursor.word()
            suffix = " eui-64" if cursor.maybe("eui-64") else ""
            line = f"{str(address.ip).upper()}/{address.network.prefixlen}{suffix}"  # ios-facts N31
        cursor.end()
        keep(item.ipv6, line, no)

    def _pvc(self, session: Login, cursor: Cursor, no: bool) -> None:
        name = cursor.word()
        if not re.fullmatch(r"\d+/\d+", name):
            cursor.at -= 1
            raise cursor.invalid()
        cursor.end()
        pvcs = self._item(session).pvcs
        if no:
            pvcs.pop(name, None)
            return
        pvcs.setdefault(name, Pvc(name))
        session.stack.append(PvcMode(self.interface, name))


class PvcMode(PolicyHolder):
    """``config-if-atm-vc``."""

    prompt = "config-if-atm-vc"

    def __init__(self, interface: str, pvc: str) -> None:
        self.interface = interface
        self.pvc: str = pvc

    def commands(self, session: Login) -> Mapping[str, Handler]:
        table: dict[str, Handler] = {word: self._keep(word) for word in PVC_KEPT}
        return table | {
            "ubr": self._service("ubr", 1),
            "abr": self._service("abr", 2),
            "vbr-nrt": self._service("vbr-nrt", 2),
            "service-policy": self._service_policy,
        }

    def _item(self, session: Login) -> Pvc:
        pvc = session.config.interfaces[self.interface].pvcs.get(self.pvc)
        if pvc is None:
            raise Refusal(f"% PVC {self.pvc} does not exist")
        return pvc

    def _keep(self, word: str) -> Handler:
        def handle(session: Login, cursor: Cursor, no: bool) -> None:
            keep(self._item(session).other, f"{word} {cursor.rest()}".strip(), no)

        return handle

    def _service(self, word: str, most: int) -> Handler:
        def handle(session: Login, cursor: Cursor, no: bool) -> str:
            rates: list[int] = []
            while cursor.more:
                rates.append(cursor.number(1, 10_000_000))
                if len(rates) > most + 1:
                    raise InvalidInput(cursor.words[-1].column)
            if not no and word != "ubr" and len(rates) < 2:
                raise IncompleteCommand
            item = self._item(session)
            item.service, item.rates = ("ubr", ()) if no else (word, tuple(rates))
            return policies.recheck(session.device, self.interface)

        return handle


def interface(session: Login, cursor: Cursor, no: bool) -> str:
    """``[no] interface NAME [point-to-point]``; a port the chassis lacks is invalid input."""
    at = cursor.at
    name = cursor.interface()
    present = session.config.interfaces.get(name)
    subtype = cursor.maybe("point-to-point", "multipoint") or ""
    cursor.end()
    if no:
        if present is None:
            raise InvalidInput(cursor.words[at].column)
        if present.is_physical:
            raise Refusal("% Removal of physical interfaces is not permitted")
        del session.config.interfaces[name]
        return ""
    if present is None:
        parent = session.config.interfaces.get(parent_of(name))
        if "." in name and parent is not None:
            if name.startswith("ATM") and not subtype:
                raise IncompleteCommand
            present = Interface(name, parent.hardware_kbit, subtype)
        elif name.startswith(CREATABLE_TYPES):
            present = Interface(name, 8_000_000 if name.startswith("Loopback") else 9)
        else:
            # the caret stands under the number of a port that is not there
            found = cursor.words[-1 if not subtype else -2]
            digits = len(found.text) - len(
                found.text.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")
            )
            raise InvalidInput(found.column + digits)
        session.config.interfaces[name] = present
    session.stack.append(InterfaceMode(name))
    return ""


def keep(lines: list[str], text: str, no: bool) -> None:
    """Add a line kept as typed; ``no`` removes the lines it begins, or is itself kept when there was none."""
    if not no:
        if f"no {text}" in lines:
            lines.remove(f"no {text}")
        for single in SINGLE:
            if text.startswith(single + " ") or text == single:
                lines[:] = [line for line in lines if line != single and not line.startswith(single + " ")]
        if text not in lines:
            lines.append(text)
        return
    gone = [line for line in lines if line == text or line.startswith(text + " ")]
    for line in gone:
        lines.remove(line)
    if not gone and f"no {text}" not in lines and text.split()[0] in _PRINTED_NO:
        lines.append(f"no {text}")


# Settings that hold one value: a second line replaces the first.
SINGLE = (
    "carrier-delay", "clock rate", "clock timezone", "config-register", "crc", "delay", "duplex", "enable password",
    "enable secret", "encapsulation", "framing", "ip domain-name", "ip mtu", "ip unnumbered", "ipv6 mtu", "keepalive",
    "load-interval", "mac-address", "media-type", "mtu", "ntp clock-period", "snmp-server contact",
    "snmp-server location", "speed", "tx-ring-limit",
)  # fmt: skip
_PRINTED_NO = ("ip", "keepalive", "cdp", "atm", "negotiation", "mpls", "service")


def _dotted(cursor: Cursor) -> IPv4Address:
    if not cursor.more:
        raise IncompleteCommand
    try:
        address = IPv4Address(cursor.peek())
    except ValueError:
        raise cursor.invalid() from None
    cursor.word()
    return address
