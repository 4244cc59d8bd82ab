"""A plan as the pipeline makes them, small enough to read: nl6 goes from NON-PARTICIPANT to FILTERED-IN on one interface."""

from __future__ import annotations

from provisioning.pipeline.change import Alternative, ChangePlan, Phase
from provisioning.pipeline.change.fingerprint import Scope
from provisioning.pipeline.diff import EqualToday, Gap, Line
from provisioning.pipeline.safety import InterfaceQos, LineState, Marker, Role

RUNNING = """\
version 12.0
hostname nl6
!
ipv6 access-list nren-auth-ef-old
 permit ipv6 2001:DB8:1::/48 any
!
class-map match-all EF
  match dscp ef
class-map match-all LBE
  match dscp cs1
!
policy-map NON-PARTICIPANT
  class class-default
    set dscp default
!
interface GigabitEthernet1/0
 description SURFnet
 no ip address
 ipv6 address 2001:798:22:200::1/64
 service-policy input NON-PARTICIPANT
!
interface POS2/0
 no ip address
 ipv6 address 2001:798:0:6::2/64
!
end
"""

EDGE = "GigabitEthernet1/0"
GAP = (
    "GigabitEthernet1/0 has no input policy between two lines of one write (about 0.2 s): whatever arrives in between "
    "keeps its marking."
)
SAME = EqualToday(
    EDGE, "input", "TRUSTED-IN", "EF", "police cir 7750000", "police cir percent 5", 7_750_000, 155_000_000
)
"""A policer in bit/s that comes to the percentage of today's BW."""


def _edge(policy: str | None, marker: Marker, ef_rate: str, authorised: tuple[str, ...] = ()) -> InterfaceQos:
    return InterfaceQos(
        interface=EDGE,
        pvc=None,
        role=Role.ACCESS,
        policy_in=policy,
        policy_out=None,
        marker=marker,
        ef_rate=ef_rate,
        remarks_rest=policy is not None,
        ef_queue=False,
        authorised=authorised,
    )


CORE = InterfaceQos("POS2/0", None, Role.CORE, None, None, Marker.NREN, "none", True, False)


def swap_plan(router: str = "nl6") -> ChangePlan:
    """Return a plan with one forced gap: eleven lines, their way back, and the state after every one."""
    commands = (
        Line("ipv6 access-list nren-auth-ef"),
        Line("sequence 10 permit ipv6 2001:610:1::/48 2001:648:2::/48", depth=1),
        Line("class-map match-all EF-FILTERED"),
        Line("match access-group name nren-auth-ef", depth=1),
        Line("policy-map FILTERED-IN"),
        Line("class EF-FILTERED", depth=1),
        Line("police cir percent 5 conform-action transmit exceed-action drop", depth=2),
        Line("set dscp 46", depth=2),
        Line("class class-default", depth=1),
        Line("set dscp 0", depth=2),
        Line("interface GigabitEthernet1/0"),
        Line("no service-policy input NON-PARTICIPANT", depth=1),
        Line("service-policy input FILTERED-IN", depth=1, joined=True),
    )
    before = (_edge("NON-PARTICIPANT", Marker.ROUTER, "none"), CORE)
    proof = [LineState(None, before)]
    for line in commands[:-2]:
        proof.append(LineState(line.text, ()))
    proof.append(LineState(commands[-2].text, (_edge(None, Marker.NOBODY, "unlimited"),), gap=True))
    proof.append(
        LineState(commands[-1].text, (_edge("FILTERED-IN", Marker.ACL, "percent 5", ("nren-auth-ef",)),))
    )
    rollback = (
        Line("interface GigabitEthernet1/0"),
        Line("no service-policy input FILTERED-IN", depth=1),
        Line("service-policy input NON-PARTICIPANT", depth=1, joined=True),
        Line("no policy-map FILTERED-IN"),
        Line("no class-map match-all EF-FILTERED"),
        Line("no ipv6 access-list nren-auth-ef"),
    )
    back = [LineState(None, (proof[-1].states[0], CORE)), LineState(rollback[0].text, ())]
    back.append(LineState(rollback[1].text, (_edge(None, Marker.NOBODY, "unlimited"),), gap=True))
    back.append(LineState(rollback[2].text, (before[0],)))
    back += [LineState(line.text, ()) for line in rollback[3:]]
    gap = Gap(EDGE, None, "input", "NON-PARTICIPANT", "FILTERED-IN", 12, True, True, "0.2 s", GAP)
    return ChangePlan(
        router=router,
        phase=Phase.EDGES,
        commands=commands,
        rollback=rollback,
        undo=tuple(rollback for _ in range(len(commands) + 1)),
        gaps=(gap,),
        alternatives=(
            Alternative(EDGE, None, "input", "FILTERED-IN", "the access list marks"),
            Alternative(EDGE, None, "input", "NON-PARTICIPANT", "everything becomes DSCP 0"),
        ),
        conflicts=(),
        takeovers=(),
        warnings=("Policers count layer 2; the rate asked is layer 3.",),
        proof=tuple(proof),
        back=tuple(back),
        owned_after={
            "access-list nren-auth-ef": "a" * 64,
            "class-map EF-FILTERED": "b" * 64,
            "policy-map FILTERED-IN": "c" * 64,
            "policy-map NON-PARTICIPANT": "d" * 64,
        },
        released=(),
        fingerprint="0123456789abcdef" * 4,
        in_flight={},
        scope=Scope((("policy-map", "FILTERED-IN"), ("policy-map", "NON-PARTICIPANT")), (EDGE, "POS2/0")),
        prefix_digests=tuple(f"{number:064x}" for number in range(len(commands) + 1)),
    )
