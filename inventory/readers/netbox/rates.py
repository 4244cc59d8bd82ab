"""What an interface of a NetBox clocks, and whether its name is one that IOS gives to that."""

from __future__ import annotations

import re

from inventory.readers.netbox.bundle import Object
from inventory.readers.netbox.not_in_file import NotTaken, left_out, value_of

# Line rates of SONET (ITU-T G.707), PDH (G.702) and DS (ANSI T1.107) by NetBox's names of types.
_FIXED = {
    "sonet-oc3": 155_520_000, "sonet-oc12": 622_080_000, "sonet-oc48": 2_488_320_000, "sonet-oc192": 9_953_280_000,
    "sonet-oc768": 39_813_120_000, "e1": 2_048_000, "e3": 34_368_000, "t1": 1_544_000, "t3": 44_736_000,
}  # fmt: skip
_ETHERNET = re.compile(r"([0-9]+(?:\.[0-9]+)?)(t|g)?base-")
_UNITS = {None: 10**6, "g": 10**9, "t": 10**12}
_NAMED = {
    "sonet": ("POS", "ATM", "SRP"),
    "ethernet": ("Ethernet", "FastEthernet", "GigabitEthernet", "TenGigabitEthernet"),
    "serial": ("Serial", "Hssi", "ATM"),
}


def line_rate(each: Object) -> int:
    """Return the line rate in bit/s: its `speed` (kbit/s) where that is set, else that of its type.

    Raises NotTaken: a type without a rate and no speed, a speed above that of the type, a name of another kind than the type.
    """
    kind = value_of(each, "type")
    by_type = rate_of_type(kind)
    speed = each.get("speed")
    if speed is not None and (isinstance(speed, bool) or not isinstance(speed, int) or speed <= 0):
        raise NotTaken(f"is no speed in kbit/s: {speed!r:.40}", "speed")
    _refuse_name(str(each.get("name") or ""), kind)
    if speed is None:
        if by_type is None:
            raise NotTaken(
                f"the type {kind or 'that is not given'} has no rate of its own: give its speed", "speed"
            )
        return by_type
    # A speed in kbit/s is rounded: 155,520 of 155,520,000 bit/s.
    if by_type is not None and speed * 1000 > by_type + 999:
        raise NotTaken(f"{speed} kbit/s is more than {kind} carries", "speed")
    return by_type if by_type is not None and abs(by_type - speed * 1000) < 1000 else speed * 1000


def rate_of_type(kind: str) -> int | None:
    """Return the rate of a type, such as 1000base-x-sfp, in bit/s; None where it has none."""
    if kind in _FIXED:
        return _FIXED[kind]
    found = _ETHERNET.match(kind)
    return None if found is None else round(float(found[1]) * _UNITS[found[2]])


def _refuse_name(name: str, kind: str) -> None:
    family = "sonet" if kind.startswith("sonet-") else "ethernet" if _ETHERNET.match(kind) else ""
    family = "serial" if kind in ("e1", "e3", "t1", "t3") else family
    said = re.match(r"[A-Za-z-]*", name)
    if family and said is not None and said[0] not in _NAMED[family]:
        raise NotTaken(
            f"{name or 'nothing'} is the name of no {kind} interface: one begins with {', '.join(_NAMED[family])}",
            "name",
        )


def refuse_kind(each: Object) -> None:
    """Raise NotTaken for an interface that is none of a network file's by its kind."""
    kind = value_of(each, "type")
    if each.get("mgmt_only"):
        raise left_out("it is for management only")
    if each.get("enabled") is False:
        raise left_out("it is not enabled")
    if each.get("lag"):
        raise left_out("it is a member of a bundle: write its link into the file by hand")
    if kind in ("lag", "bridge"):
        raise left_out(f"it is a {kind}: write its link into the file by hand")
