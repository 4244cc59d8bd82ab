"""What each platform, engine and train of IOS can do and how it spells it: data with its evidence
(ios-facts 2).
"""

from provisioning.pipeline.platforms.capability import (
    LONGEST_NAME,
    LOWEST_POLICE_BPS,
    Refusal,
    capability,
    engine_refuses_ipv6_premium,
)
from provisioning.pipeline.platforms.profiles import C7200, GSR, IOS_XE, Profile, platform_name, profile
from provisioning.pipeline.platforms.release import Release

__all__ = [
    "C7200",
    "GSR",
    "IOS_XE",
    "LONGEST_NAME",
    "LOWEST_POLICE_BPS",
    "Profile",
    "Refusal",
    "Release",
    "capability",
    "engine_refuses_ipv6_premium",
    "platform_name",
    "profile",
]
