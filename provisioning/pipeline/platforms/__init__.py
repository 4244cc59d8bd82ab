"""What each platform, engine and train can do and how it spells it: data with its evidence
(ios-facts 2).

A platform is one folder (``cisco_12000``, ``cisco_7200``, ``cisco_iosxe``, ``linux``): what it is called, how it spells things,
its ranges and refusals. ``registry`` knows them all; whoever is outside asks a ``Profile`` what it can do, never its name.
``gates`` says what came with which release, ``rules`` what is looked for; ``judge`` holds a policy (``facts``) against them and
answers in ``findings``.
"""

from provisioning.pipeline.platforms.cisco_12000.engines import engine_refuses_ipv6_premium
from provisioning.pipeline.platforms.definition import Platform
from provisioning.pipeline.platforms.facts import ClassFacts, PolicerFacts, PolicyFacts
from provisioning.pipeline.platforms.findings import Evidence, Finding, Severity, Tag
from provisioning.pipeline.platforms.identity import Compared, Identity, compare, compare_cards, same_serial
from provisioning.pipeline.platforms.judging import judge
from provisioning.pipeline.platforms.limits import LARGEST_BURST, LONGEST_NAME
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.registry import (
    KINDS,
    NAMES,
    PLATFORMS,
    SILENT,
    TYPED_AT,
    USUAL,
    has_shell,
    platform,
    platform_name,
    printed_as,
    profile,
)
from provisioning.pipeline.platforms.release import Release

__all__ = [
    "has_shell",
    "KINDS",
    "LARGEST_BURST",
    "LONGEST_NAME",
    "NAMES",
    "PLATFORMS",
    "SILENT",
    "TYPED_AT",
    "USUAL",
    "ClassFacts",
    "Compared",
    "Evidence",
    "Finding",
    "Identity",
    "Platform",
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
    "platform",
    "platform_name",
    "printed_as",
    "profile",
    "same_serial",
]
