"""The edge of 6NET on a Linux router: a filtered NREN on eth1, the backbone on eth2 (D4.4.2v2 Appendix A)."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import Binding

TEXT = """\
ipv6 access-list nren-auth-ef
 permit ipv6 2001:db8:1::1/128 2001:db8:2::/64
class-map match-all EF
 match dscp 46
class-map match-all EF-FILTERED
 match access-group name nren-auth-ef
class-map match-all LBE
 match dscp 8
policy-map NON-PARTICIPANT
 class class-default
  set dscp 0
policy-map TRUSTED-IN
 class EF
  police cir 2000000 bc 20000 conform-action transmit exceed-action drop
 class LBE
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map FILTERED-IN
 class EF-FILTERED
  set dscp 46
  police cir 2000000 bc 20000 conform-action transmit exceed-action drop
 class LBE
  police cir percent 1 conform-action transmit exceed-action transmit
 class class-default
  set dscp 0
policy-map my_policy
 class EF
  priority
 class class-default
  random-detect dscp-based
"""


def edge(policy: str = "FILTERED-IN") -> RouterIntent:
    read = ios.parse_intended(TEXT, None).config
    return RouterIntent(
        router="l1",
        access_lists=tuple(read.access_lists.values()),
        class_maps=tuple(read.class_maps.values()),
        policy_maps=tuple(read.policy_maps.values()),
        bindings=frozenset(
            {Binding("eth1", None, "input", policy), Binding("eth2", None, "output", "my_policy")}
        ),
    )
