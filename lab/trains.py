"""What each platform and train does: how it prints, what it refuses, what it knows. Unknowns of ios-facts are switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from lab.chassis import GSR, chassis
from lab.errors import SpecError
from lab.release import Release

# Every switch with the values it may take; the default depends on platform and train (see _manners).
SWITCHES: dict[str, tuple[object, ...]] = {
    "dscp": ("name", "number"),  # ios-facts N3, N3b, U1
    "police_shape": ("A", "B", "C"),  # ios-facts N14, 1.2, U1
    "match_blanks": (1, 2),  # ios-facts N2
    "leading_blank": (True, False),  # ios-facts N27
    "trailing_blank": (True, False),  # ios-facts N1
    "indent": (1, 2),  # ios-facts 1.1: indentation differs between releases of one train
    "expand_bursts": (True, False),  # ios-facts N15
    "action_order": ("entry", "fixed"),  # ios-facts N24
    "class_map_order": ("entry", "newest-first"),  # ios-facts N25
    "ipv6_sequence": ("off-grid", "always"),  # ios-facts N32
    "ipv4_sequence": (True, False),  # ios-facts N33
    "flow_label_order": ("after-dscp", "before-dscp"),  # ios-facts N34, U6
    "show_era": ("s", "t", "hqf", "xe"),  # ios-facts 4.1, U2
    "bare_priority": ("accepted", "incomplete", "refused"),  # ios-facts 2.3, U5
    "remove_policy_in_use": ("refused", "detached"),  # ios-facts 2.8, U5
    "remove_acl_in_use": ("allowed", "refused"),  # ios-facts 2.7
    "shared_edit": ("strip", "refuse"),  # ios-facts 2.8
    "unknown_class_lands": ("policy-map", "config", "class"),  # ios-facts 5.1
    "reattach_same": ("silent", "refused"),  # ios-facts 2.8, U5
    "slot_refusal": ("after-prompt", "monitor"),  # ios-facts 2.2, 3.5
    "default_burst": ("250ms", "4ms"),  # ios-facts 1.3, U7
    "missing_acl": ("nothing", "everything"),  # ios-facts 2.7, U4
    "ipv6_acl_same_sequence": ("refused", "replaced"),
    "match_not": ("accepted", "refused"),  # ios-facts 2.2, U3 (12000, at attach)
    "engine6": ("refused", "accepted"),  # ios-facts 2.2
    "max_reserved": (75, 100),  # ios-facts 2.3
    "class_map_mode_change": ("changed", "refused", "ignored"),
    "vty_limit": (True, False),  # as many logins as the configured `line vty` has
    "exec_timestamp": (False, True),  # ios-facts 3.5: `exec prompt timestamp`
}


@dataclass(frozen=True)
class Train:
    """The manners of one router: gates that follow from the release, switches that follow from it unless set."""

    platform: str
    release: Release
    # gates, ios-facts 2.1
    police_percent: bool
    match_dscp: bool
    priority_percent: bool
    police_mode: bool
    hqf: bool
    has_do: bool
    has_section: bool
    has_archive: bool
    has_replace: bool
    has_revert: bool
    has_inventory: bool
    # switches
    dscp: str
    police_shape: str
    match_blanks: int
    leading_blank: bool
    trailing_blank: bool
    indent: int
    expand_bursts: bool
    action_order: str
    class_map_order: str
    ipv6_sequence: str
    ipv4_sequence: bool
    flow_label_order: str
    show_era: str
    bare_priority: str
    remove_policy_in_use: str
    remove_acl_in_use: str
    shared_edit: str
    unknown_class_lands: str
    reattach_same: str
    slot_refusal: str
    default_burst: str
    missing_acl: str
    ipv6_acl_same_sequence: str
    match_not: str
    engine6: str
    max_reserved: int
    class_map_mode_change: str
    vty_limit: bool
    exec_timestamp: bool

    @property
    def is_12000(self) -> bool:
        """True for the 12000 series, where line cards decide (ios-facts 2.2)."""
        return self.platform == GSR

    @classmethod
    def of(cls, platform: str, release: Release, switches: Mapping[str, object]) -> Train:
        """The train of a platform and release with the switches applied; raises SpecError for an unknown one."""
        kind = chassis(platform).kind
        for name, value in switches.items():
            if name not in SWITCHES:
                raise SpecError(f"switches.{name}", f"unknown; known are {', '.join(sorted(SWITCHES))}")
            if value not in SWITCHES[name] or isinstance(value, bool) != isinstance(SWITCHES[name][0], bool):
                raise SpecError(f"switches.{name}", f"{value!r} is none of {SWITCHES[name]!r}")
        values: dict[str, object] = {**_gates(release), **_manners(kind, release), **switches}
        known = {field.name for field in fields(cls)} - {"platform", "release"}
        return cls(platform=kind, release=release, **{k: values[k] for k in known})  # type: ignore[arg-type]


def _gates(r: Release) -> dict[str, object]:
    """Version gates of ios-facts 2.1 and 3.2."""
    return {
        "police_percent": r.since_s(28) or r.since_t(12, 2, 13),
        "match_dscp": r.since_s(28) or r.since_t(12, 2, 13),
        "priority_percent": r.since_s(28) or r.since_t(12, 2, 2),
        "police_mode": r.since_t(12, 2, 8),  # ios-facts 3.2: not on 12.0S
        "hqf": r.since_t(12, 4, 20),
        "has_do": r.since_t(12, 2, 8),
        "has_section": r.since_t(12, 3, 2),
        "has_archive": r.since_t(12, 3, 4) or r.since_22s(25),
        "has_replace": r.since_t(12, 3, 7) or r.since_22s(25),
        "has_revert": r.since_t(12, 4, 20) or r.since_22s(33),
        "has_inventory": r.since_s(27) or r.since_t(12, 3, 4),
    }


def _manners(platform: str, r: Release) -> dict[str, object]:
    """Defaults of the switches; each line is the fact it follows (see SWITCHES)."""
    old = r.is_12_0s or (not r.is_xe and (r.major, r.minor) < (12, 2))
    t2 = (r.major, r.minor) == (12, 2)
    hqf = r.since_t(12, 4, 20)
    if r.is_12_0s:
        era = "s"
    elif r.is_xe:
        era = "xe"
    else:
        era = "hqf" if hqf else "t"
    if (hqf and not r.is_xe) or platform == GSR:
        bare = "accepted"
    else:
        bare = "accepted" if r.is_xe else "incomplete"
    return {
        "dscp": "number" if old else "name",
        "police_shape": "B" if old or r.is_xe else "A",
        "match_blanks": 2 if not r.is_xe and (r.major, r.minor) >= (12, 4) else 1,
        "leading_blank": t2,
        "trailing_blank": True,
        "indent": 2 if old else 1,
        "expand_bursts": old or t2,
        "action_order": "fixed" if r.is_xe else "entry",
        "class_map_order": "entry" if r.is_xe else "newest-first",
        "ipv6_sequence": "always" if r.is_xe else "off-grid",
        "ipv4_sequence": r.since_xe(16, 12),
        "flow_label_order": "after-dscp",
        "show_era": era,
        "bare_priority": bare,
        "remove_policy_in_use": "refused",
        "remove_acl_in_use": "allowed",
        "shared_edit": "strip",
        "unknown_class_lands": "policy-map",
        "reattach_same": "silent",
        "slot_refusal": "after-prompt",
        "default_burst": "250ms",
        "missing_acl": "nothing",
        "ipv6_acl_same_sequence": "refused",
        "match_not": "accepted",
        "engine6": "refused",
        "max_reserved": 100 if hqf or platform == GSR else 75,
        "class_map_mode_change": "changed",
        "vty_limit": True,
        "exec_timestamp": False,
    }
