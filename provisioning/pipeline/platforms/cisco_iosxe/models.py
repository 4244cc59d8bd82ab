"""What one chassis of IOS-XE does not take and its family does."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.platforms.checks import where
from provisioning.pipeline.platforms.facts import PolicyFacts
from provisioning.pipeline.platforms.profiles import Profile


def asr920_percent(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """The small router of the family has rates only."""
    for entry, policer in policy.policers():
        if profile.model == "asr920" and policer.percents:
            yield f"`police cir percent` in {where(policy, entry)}"
