"""Finding in a policer what some platform does not take: one function per rule, a text per place."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.platforms.checks import where
from provisioning.pipeline.platforms.facts import PolicerFacts, PolicyFacts
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.profiles import Profile


def gated_percent(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Before the first release that has it (ios-facts 2.1)."""
    if GATES["police cir percent"].passed(profile.release) is not False:
        return
    for entry, policer in policy.policers():
        if policer.percents:
            yield f"`police cir percent` in {where(policy, entry)} is not known to {profile.release}"


def bytes_at_percent(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where the rate is a share, the burst is a time."""
    for entry, policer in policy.policers():
        if policer.percents and any(unit == "bytes" for _, unit in policer.bursts):
            yield f"a burst in bytes at a percentage in {where(policy, entry)}"


def ms_at_rate(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Where the rate is a number, the burst is one too."""
    for entry, policer in policy.policers():
        if not policer.percents and any(unit == "ms" for _, unit in policer.bursts):
            yield f"a burst in milliseconds at a rate in {where(policy, entry)}"


def second_bucket_alone(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """`be` without `bc` where no default can be written in its place: at a percentage, or beyond 16 Gbit/s."""
    for entry, policer in policy.policers():
        if policer.second_bucket_alone:
            yield f"`be` without `bc` in {where(policy, entry)}"


def mixed_rates(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """One rate as a number, the other as a share."""
    for entry, policer in policy.policers():
        if policer.mixed_rates:
            yield f"one rate in bit/s and one in percent in {where(policy, entry)}"


def peak_below(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """A peak below the committed rate."""
    for entry, policer in policy.policers():
        if policer.peak_below:
            yield f"a peak rate below the committed rate in {where(policy, entry)}"


def _contradiction(policer: PolicerFacts) -> str:
    """Why the colours cannot stand together, or an empty text."""
    for name, actions in (
        ("conform", policer.conform),
        ("exceed", policer.exceed),
        ("violate", policer.violate),
    ):
        if {"transmit", "drop"} <= set(actions):
            return f"{name} both transmits and drops"
    if "drop" in policer.conform and "transmit" in policer.exceed:
        return "it drops what conforms and transmits what exceeds"
    if "transmit" in policer.violate and policer.exceed != ("transmit",):
        return "it transmits what violates and not all that exceeds"
    marks = {
        action.split()[0] for action in (*policer.conform, *policer.exceed, *policer.violate) if " " in action
    }
    if {"set-dscp-transmit", "set-prec-transmit"} <= marks:
        return "it marks both DSCP and precedence"
    return ""


def policer_conflict(_: Profile, policy: PolicyFacts) -> Iterator[str]:
    """Colours that contradict each other (Cisco-IOS-XE-policy, the must statements of police)."""
    for entry, policer in policy.policers():
        why = _contradiction(policer)
        if why:
            yield f"the policer in {where(policy, entry)} contradicts itself: {why}"


def policer_several(profile: Profile, policy: PolicyFacts) -> Iterator[str]:
    """More than one thing done to a packet of one colour."""
    if GATES["several actions of a policer"].passed(profile.release):
        return
    for entry, policer in policy.policers():
        if max(len(policer.conform), len(policer.exceed), len(policer.violate)) > 1:
            yield f"several actions for one colour in {where(policy, entry)}"
