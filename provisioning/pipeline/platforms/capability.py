"""What a router would refuse, said before it is asked: each refusal with its evidence (ios-facts 2.1-2.6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from provisioning.pipeline.platforms.profiles import C7200, GSR, Profile

LOWEST_POLICE_BPS: Final = 8000
"""The lowest rate a policer of classic IOS takes, in bit/s (ios-facts 1.4)."""

LONGEST_NAME: Final = 40
"""The longest name of a class-map, policy-map or access list, in characters (ios-facts 2.1)."""

_IPV6_IGNORED: Final = {
    "4": "Engine 4 handles IPv6 in software and ignores its traffic class (GRNET; ios-facts 0.7)",
    "4+": "Engine 4+ (Tango) ignores the IPv6 traffic class: EF would be queued as BE (GRNET; ios-facts 0.7)",
    "0": "Engine 0 has legacy CAR only, and CAR is not supported for IPv6 (ios-facts 0.8, 2.2)",
    "1": "Engine 1 refuses WRED and MDRR, and CAR is not supported for IPv6 (ios-facts 0.8, 2.2)",
    "2": "Engine 2 classifies by precedence only, and IPv6 is handled in software (ios-facts 2.2)",
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something the router would not take. ``certain`` is False where only probable: a warning that may be
    overridden.
    """

    code: str
    text: str
    evidence: str
    certain: bool = True


def engine_refuses_ipv6_premium(engine: int | str | None) -> Refusal | None:
    """The refusal when a 12000 line card of this engine cannot carry IPv6 Premium anywhere on a path; None
    if it can.

    ``engine`` is 0..6, ``4+``, or None where there is no line card engine.
    """
    key = str(engine).strip().upper().removeprefix("E") if engine is not None else ""
    reason = _IPV6_IGNORED.get(key)
    if reason is None:
        return None
    return Refusal(
        "engine-ipv6", f"Engine {key} cannot carry IPv6 Premium", reason, certain=key in ("4", "4+", "0")
    )


def capability(
    profile: Profile,
    *,
    police_percent: bool = False,
    police_bps: int | None = None,
    bare_priority: bool = False,
    fair_queue: bool = False,
    queueing: bool = False,
    subinterface: bool = False,
    direction: str | None = None,
    pvc_category: str | None = None,
    access_list_logs: bool = False,
    queueing_percent: int | None = None,
    names: tuple[str, ...] = (),
    engine: int | str | None = None,
    ipv6: bool = False,
) -> tuple[Refusal, ...]:
    """What of the wanted things this router would refuse; empty when nothing.

    ``police_bps`` is the rate that results in bit/s, of a percentage too; ``queueing`` says that the policy
    has priority, bandwidth, shape or WRED; ``queueing_percent`` the sum of its shares.
    """
    on = f"{profile.name} with {profile.release}"
    found: list[Refusal] = []

    def refuse(when: bool, code: str, text: str, evidence: str, certain: bool = True) -> None:
        if when:
            found.append(Refusal(code, text, evidence, certain))

    refuse(
        police_percent and not profile.police_percent,
        "police-percent",
        f"`police cir percent` is not known to {on}",
        "first in 12.2(13)T and 12.0(28)S (ios-facts 2.1)",
        profile.name == GSR,
    )
    refuse(
        police_bps is not None and police_bps < LOWEST_POLICE_BPS and profile.name in (GSR, C7200),
        "police-rate",
        f"a policer of {police_bps} bit/s is below {LOWEST_POLICE_BPS}: the policy could not be attached",
        "the resulting rate must be in the platform's range (ios-facts 1.4)",
    )
    refuse(
        bare_priority and not profile.bare_priority,
        "bare-priority",
        f"`priority` without a rate is refused by {on}",
        "cisco-nsp, 21 August 2007 (ios-facts 2.3)",
    )
    refuse(
        fair_queue and not profile.fair_queue,
        "fair-queue",
        "the 12000 has no fair-queue: MDRR replaces it",
        "Cisco document 18841 (ios-facts 2.2)",
    )
    refuse(
        queueing and subinterface and not profile.hqf and profile.name == C7200,
        "subinterface-queueing",
        "CBWFQ is not supported on subinterfaces",
        "message of the router (ios-facts 2.3)",
    )
    refuse(
        queueing and direction == "input",
        "input-queueing",
        "queueing actions are for output only",
        "ios-facts 2.3",
        False,
    )
    refuse(
        queueing and pvc_category == "ubr",
        "ubr-queueing",
        "bandwidth and priority are not supported on a UBR PVC",
        "Cisco document 10466 (ios-facts 2.3)",
    )
    refuse(
        access_list_logs and profile.name not in (GSR, C7200),
        "log-access-list",
        "access-lists with 'log' keyword are not supported",
        "message of the router (ios-facts 2.4)",
    )
    refuse(
        queueing_percent is not None and queueing_percent > profile.shared_percent,
        "shared-percent",
        f"the shares add up to {queueing_percent} %, more than {profile.shared_percent} %",
        "Cisco document 10466: 75 % unless max-reserved-bandwidth says otherwise (ios-facts 2.3)",
        False,
    )
    for name in names:
        refuse(
            len(name) > LONGEST_NAME,
            "name-length",
            f"{name!r} has more than {LONGEST_NAME} characters",
            "IOS 12.3 command reference (ios-facts 2.1)",
        )
    if ipv6 and profile.name == GSR and (engine_refusal := engine_refuses_ipv6_premium(engine)) is not None:
        found.append(engine_refusal)
    return tuple(found)
