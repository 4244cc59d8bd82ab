"""A policy and its place, held against the rules and limits of a platform."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.platforms.facts import PolicyFacts
from provisioning.pipeline.platforms.findings import Finding, Severity
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.profiles import Profile
from provisioning.pipeline.platforms.rules import RULES


def judge(profile: Profile, policy: PolicyFacts) -> tuple[Finding, ...]:
    """What of a policy this router would refuse, or probably refuse; refusals first, each code and text once."""
    found: dict[tuple[str, str], Finding] = {}
    for part in policy.family():
        for finding in (*_by_rules(profile, part), *_by_limits(profile, part), *_by_gates(profile, part)):
            found.setdefault((finding.code, finding.text), finding)
    return tuple(sorted(found.values(), key=lambda each: not each.certain))


def _by_rules(profile: Profile, policy: PolicyFacts) -> Iterator[Finding]:
    for rule in RULES:
        verdict = profile.kind.verdicts.get(rule.code)
        if verdict is None:
            continue
        for text in rule.found(profile, policy):
            yield Finding(rule.code, verdict.severity, f"{text} ({profile})", verdict.evidence)


def _by_limits(profile: Profile, policy: PolicyFacts) -> Iterator[Finding]:
    for code, value, place in _quantities(policy):
        row = profile.kind.limits.get(code)
        if row is not None and not row.holds(value):
            text = f"{value} {row.unit} in {place}: the range is {row.least}-{row.most} ({profile})"
            yield Finding(code, row.severity, text, row.evidence)


def _quantities(policy: PolicyFacts) -> Iterator[tuple[str, int, str]]:
    """Every number of a policy that has a range: (limit, value, where)."""
    yield "name-length", len(policy.name), policy.name
    yield "classes", len(policy.classes), policy.name
    for entry in policy.classes:
        place = f"class {entry.name} of {policy.name}"
        yield "name-length", len(entry.name), entry.name
        yield "match-lines", entry.match_lines, place
        yield "match-values", entry.values, place
        yield from ((code, number, place) for code, number in entry.numbers)
        if entry.shape_bps is not None:
            yield "shape-rate", entry.shape_bps, place
        if entry.wred_weight is not None:
            yield "wred-weight", entry.wred_weight, place
        if entry.priority_level is not None:
            yield "priority-level", entry.priority_level, place
        if entry.policer is not None:
            if entry.policer.bps is not None:
                yield "police-rate", entry.policer.bps, place
            for value, unit in entry.policer.bursts:
                yield "police-burst" if unit == "bytes" else "burst-ms", value, place


def _by_gates(profile: Profile, policy: PolicyFacts) -> Iterator[Finding]:
    """Commands whose first release is not reached, or that no list names for this train: said, never refused."""
    if not profile.gated:
        return
    for feature, wanted in _features(policy):
        gate = GATES[feature]
        passed = gate.passed(profile.release)
        if not wanted or passed or (feature == "police cir percent" and passed is False):
            continue
        known = "is not known to have" if passed is None else "came later than"
        first = ", ".join(sorted(gate.first.values()))
        text = (
            f"{profile.release} {known} `{feature}` (first in {first})"
            if passed is None
            else f"`{feature}` {known} {profile.release} (first in {first})"
        )
        yield Finding("first-release", Severity.WARNING, f"{text} ({profile.name})", gate.evidence)


def _features(policy: PolicyFacts) -> Iterator[tuple[str, bool]]:
    classes, policers = policy.classes, [policer for _, policer in policy.policers()]
    yield "police cir percent", any(policer.percents for policer in policers)
    yield "two rates of a policer", any(policer.two_rates for policer in policers)
    yield "priority percent", any(entry.priority == "percent" for entry in classes)
    yield "priority level", any(entry.priority_level is not None for entry in classes)
    yield "bandwidth remaining ratio", any(entry.bandwidth == "remaining ratio" for entry in classes)
