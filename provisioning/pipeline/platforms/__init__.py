"""What each platform, engine and train of IOS can do and how it spells it: data with its evidence
(ios-facts 2).

``profiles`` says how a platform spells things, ``limits``, ``gates`` and ``rules`` what it takes; ``judge`` holds a
policy (``facts``) against them and answers in ``findings``.
"""

from provisioning.pipeline.platforms.facts import ClassFacts, PolicerFacts, PolicyFacts
from provisioning.pipeline.platforms.findings import Evidence, Finding, Severity, Tag
from provisioning.pipeline.platforms.identity import Compared, Identity, compare, compare_cards, same_serial
from provisioning.pipeline.platforms.input_shaping import why_not_shaped
from provisioning.pipeline.platforms.judging import engine_refuses_ipv6_premium, judge
from provisioning.pipeline.platforms.limits import LARGEST_BURST, LIMITS, LONGEST_NAME
from provisioning.pipeline.platforms.profiles import C7200, GSR, IOS_XE, Profile, platform_name, profile
from provisioning.pipeline.platforms.release import Release

__all__ = [
    "C7200",
    "GSR",
    "IOS_XE",
    "LARGEST_BURST",
    "LIMITS",
    "LONGEST_NAME",
    "ClassFacts",
    "Compared",
    "Evidence",
    "Finding",
    "Identity",
    "PolicerFacts",
    "PolicyFacts",
    "Profile",
    "Release",
    "Severity",
    "Tag",
    "compare",
    "compare_cards",
    "engine_refuses_ipv6_premium",
    "judge",
    "platform_name",
    "profile",
    "same_serial",
    "why_not_shaped",
]
