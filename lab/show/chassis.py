"""``show version``, ``show diag``, ``show inventory``, ``show clock`` and the like (ios-facts 2.2; samples S12)."""

from __future__ import annotations

from lab.chassis import chassis, software_lines
from lab.cursor import Cursor
from lab.mode import Login
from lab.names import parent_of, slot_of

_ENGINES = {
    "0": "0 - OC12 (622 Mbps)",
    "1": "1 - Salsa OC24 (1.2 Gbps)",
    "2": "2 - Backbone OC48 (2.5 Gbps)",
    "3": "3 - ISE OC48 (2.5 Gbps)",
    "4": "4 - Backbone OC192 (10 Gbps)",
    "4+": "4 - Backbone OC192+ (10 Gbps)",
    "5": "5 - ISE OC192 (10 Gbps)",
    "5+": "5 - ISE+ OC192 (10 Gbps)",
    "6": "6 - OC768 (20 Gbps)",
}
_CARDS = {
    "POS": ("4 Port ISE Packet Over SONET OC-3c/STM-1 Single Mode", "4OC3X/POS-IR-LC-B="),
    "GigabitEthernet": ("4 Port ISE Gigabit Ethernet", "4GE-SFP-LC="),
    "ATM": ("4 Port ISE ATM Over SONET OC12c/STM-4", "4OC12X/ATM-IR-SC="),
}


def _uptime(session: Login) -> str:
    minutes = max(1, int(session.device.clock() - session.device.booted) // 60)
    parts = []
    for name, size in (("week", 10080), ("day", 1440), ("hour", 60), ("minute", 1)):
        count, minutes = divmod(minutes, size)
        if count:
            parts.append(f"{count} {name}{'s' if count > 1 else ''}")
    return ", ".join(parts)


def _serial(session: Login) -> str:
    """That of the chassis, or of the one that was put in its place."""
    replaced = session.device.faults.has("replaced")
    return replaced.message if replaced is not None else session.device.spec.serial


def version(session: Login, cursor: Cursor) -> str:
    """Software, uptime, image, processor, board, ports."""
    cursor.end()
    spec = session.device.spec
    text = spec.release.text
    compact = text.replace("(", "-").replace(")", ".").replace(".", "", 1).rstrip(".")
    host = session.config.hostname
    box = chassis(spec.platform)
    image = f"{box.image}.{compact}.bin"
    board = f"{box.processor}\nProcessor board ID {_serial(session)}\n"
    if spec.release.is_xe:
        image = f"{box.image}.{text}.SPA.bin"
        head = "".join(f"{line}\n" for line in software_lines(box, spec.release))
    elif spec.train.is_12000:
        head = ("Cisco Internetwork Operating System Software \n"
                f"IOS (tm) {box.software} ({box.features}), Version {text}, RELEASE SOFTWARE (fc1)\n")  # fmt: skip
    else:
        if spec.release.since_t(12, 4, 1) or spec.release.minor >= 4:
            head = f"Cisco IOS Software, {box.software} ({box.features}), Version {text}, RELEASE SOFTWARE (fc1)\n"
        else:
            head = ("Cisco Internetwork Operating System Software \n"
                    f"IOS (tm) {box.software} ({box.features}), Version {text},  RELEASE SOFTWARE (fc1)\n")  # fmt: skip
        board += "SB-1 CPU at 700MHz, Implementation 0x401, Rev 0.2, 512KB L2 Cache\n"
    counts: dict[str, int] = {}
    for item in session.config.interfaces.values():
        if item.is_physical:
            kind = item.name.rstrip("0123456789/")
            counts[kind] = counts.get(kind, 0) + 1
    ports = "".join(f"{count} {kind} interface{'s' if count > 1 else ''}\n" for kind, count in counts.items())
    return (
        f"{head}Technical Support: http://www.cisco.com/techsupport\n"
        f"Copyright (c) 1986-2006 by cisco Systems, Inc.\n\n"
        f"ROM: {'IOS-XE ROMMON' if spec.release.is_xe else 'System Bootstrap, Version 12.0(20040128:214555)'}\n\n"
        f"{host} uptime is {_uptime(session)}\n"
        f"System returned to ROM by reload at {session.device.stamp(session.device.booted)}\n"
        f'System image file is "{"bootflash" if spec.release.is_xe else "disk0"}:{image}"\n\n'
        f"{board}Last reset from power-on\n{ports}"
        "509K bytes of non-volatile configuration memory.\n\nConfiguration register is 0x2102\n\n"
    )


def diag(session: Login, cursor: Cursor) -> str:
    """Line cards of a 12000 with their engines; ``show diag [SLOT]``."""
    wanted = cursor.number(0, 15) if cursor.more else None
    cursor.end()
    text = ""
    for slot, engine in sorted(session.device.spec.engines.items()):
        if wanted not in (None, slot):
            continue
        names = [name for name in session.config.interfaces if slot_of(parent_of(name)) == slot]
        kind = names[0].rstrip("0123456789/.") if names else "POS"
        card, part = _CARDS.get(kind, _CARDS["POS"])
        if engine not in ("3", "5", "5+"):
            card = card.replace("ISE ", "")
        text += (
            f"SLOT {slot}  (RP/LC {slot} ): {card}\n"
            f"  MAIN: type 79,  800-19733-08 rev A0\n"
            f"        Deviation: 0\n"
            f"        HW config: 0x20    SW key: 00-00-00\n"
            f"  FRU:  Linecard/Module: {part}\n"
            f"  L3 Engine: {_ENGINES[engine]}\n"
            f"  MBUS Agent Software version 1.96 (RAM) (ROM version is 3.44)\n"
            f"  Board is analyzed \n"
            f"  Board State is Line Card Enabled (IOS  RUN )\n"
            f"  Insertion time: 00:00:12\n\n"
        )
    return text


def inventory(session: Login, cursor: Cursor) -> str:
    """Chassis and its serial number."""
    cursor.rest()
    spec = session.device.spec
    model = chassis(spec.platform).model
    return f'NAME: "Chassis", DESCR: "Cisco {model} chassis"\nPID: {model}          , VID: V01 , SN: {_serial(session)}\n\n'


def clock(session: Login, cursor: Cursor) -> str:
    """The time of day."""
    cursor.rest()
    device = session.device
    time, rest = device.stamp().split(" ", 1)
    return f"{time}.{int(device.clock() * 1000) % 1000:03d} {rest}\n"


def users(session: Login, cursor: Cursor) -> str:
    """Who is logged in; the star is oneself."""
    cursor.rest()
    lines = ["    Line       User       Host(s)              Idle       Location"]
    for index, item in enumerate(session.device.sessions):
        star = "*" if item is session else " "
        line = item.line.replace("vty", "vty ").replace("con", "con ")
        lines.append(
            f"{star} {index + 2} {line:9} {item.username:10} idle                 00:00:00 127.0.0.1"
        )
    return (
        "\n".join(lines) + "\n\n  Interface      User        Mode                     Idle     Peer Address\n"
    )


def hosts(session: Login, cursor: Cursor) -> str:
    """The domain and the name servers."""
    cursor.rest()
    domain = next(
        (line.split()[-1] for line in session.config.lines if line.startswith("ip domain-name")), None
    )
    head = f"Default domain is {domain}" if domain else "Default domain is not set"
    return f"{head}\nName/address lookup uses static mappings\n\n"


def logging(session: Login, cursor: Cursor) -> str:
    """The buffered messages."""
    cursor.rest()
    device = session.device
    return "Syslog logging: enabled\n\nLog Buffer (32768 bytes):\n\n" + "".join(
        f"{line}\n" for line in device.syslog
    )


def privilege(session: Login, cursor: Cursor) -> str:
    """The privilege level."""
    cursor.end()
    return f"Current privilege level is {session.privilege}\n"


def reload(session: Login, cursor: Cursor) -> str:
    """The reload that is scheduled, if any."""
    cursor.end()
    device = session.device
    due = device.reload_due
    if due is None:
        return "No reload is scheduled.\n"
    minutes = int(due - device.clock()) // 60
    return f"Reload scheduled for {device.stamp(due)} (in {minutes} minutes)\n"
