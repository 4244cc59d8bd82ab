"""What the forwarding engine of a 12000's line card can carry (ios-facts 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from provisioning.pipeline.platforms.checks import where
from provisioning.pipeline.platforms.facts import PolicyFacts
from provisioning.pipeline.platforms.findings import Evidence, Finding, Severity, Tag
from provisioning.pipeline.platforms.profiles import Profile

MQC_ENGINES: Final = frozenset({"3", "5", "5+"})
_GRNET: Final = "GRNET, QoS experiences 4.3.1 (ios-facts 0.7)"
_NO_CAR: Final = "CAR is not supported for IPv6 (ios-facts 0.8, 2.2)"

# Which engines cannot carry IPv6 Premium: (engine, what it does, tag, source).
_IPV6_ENGINES: Final[tuple[tuple[str, str, Tag, str], ...]] = (
    ("4", "handles IPv6 in software and ignores its traffic class", Tag.CERTAIN, _GRNET),
    ("4+", "(Tango) ignores the IPv6 traffic class: EF would be queued as BE", Tag.CERTAIN, _GRNET),
    ("0", "has legacy CAR only", Tag.CERTAIN, _NO_CAR),
    ("1", "refuses WRED and MDRR and has CAR only", Tag.CERTAIN, _NO_CAR),
    ("2", "classifies by precedence only, with IPv6 in software", Tag.LIKELY, "ios-facts 2.2"),
)


def engine_refuses_ipv6_premium(engine: int | str | None) -> Finding | None:
    """The finding when a 12000 line card of this engine cannot carry IPv6 Premium anywhere on a path; None if it can.

    ``engine`` is 0..6, ``4+``, or None where there is no line card engine.
    """
    key = str(engine).strip().upper().removeprefix("E") if engine is not None else ""
    for name, reason, tag, source in _IPV6_ENGINES:
        if name == key:
            severity = Severity.REFUSAL if tag is Tag.CERTAIN else Severity.WARNING
            return Finding("engine-ipv6", severity, f"Engine {key} {reason}", Evidence(tag, source))
    return None


def engine_queues(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Seven queues with class-default's, and the one of low latency."""
    normal = {
        entry.name
        for entry in policy.classes
        if entry.queueing and entry.priority is None and not entry.is_default
    }
    if policy.direction == "output" and len(normal) + 1 > 7:
        yield f"{policy.name} needs {len(normal) + 1} queues beside the priority queue"


def engine_1_queueing(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Engine 1 has neither WRED nor MDRR."""
    if policy.engine == "1" and policy.queueing:
        yield f"{policy.name} queues on Engine 1"


def engine_mqc(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where MQC itself is in doubt."""
    if policy.engine is not None and policy.engine not in MQC_ENGINES:
        yield f"{policy.name} is for a card of Engine {policy.engine}"


def priority_argument(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """`priority percent 20`, which an ISE card refuses (ios-facts 2.2)."""
    for entry in policy.classes:
        if entry.priority not in (None, "bare"):
            yield f"`priority` takes no argument here, and {where(policy, entry)} gives one"


def priority_classes(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Two classes for one low latency queue."""
    names = [entry.name for entry in policy.classes if entry.priority is not None]
    if len(names) > 1:
        yield f"{policy.name} has {len(names)} priority classes ({', '.join(names)}) and there is one queue for them"
