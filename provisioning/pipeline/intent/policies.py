"""A scheme's policy templates as MQC objects, as the platform wants them (D4.4.2v2 Appendix A; ios-facts 2.6)."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import (
    CLASS_DEFAULT,
    Action,
    Bps,
    ClassMap,
    FairQueue,
    Match,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    Priority,
    RandomDetect,
    SetField,
)
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.scheme import ClassMapTemplate, ClassTemplate, PolicyTemplate


def class_map(template: ClassMapTemplate, name: str, access_lists: tuple[str, ...]) -> ClassMap:
    """Return the class-map; an access list condition becomes one line for each of `access_lists`.

    With two lists (dual stack) the mode is match-any: under match-all both would be required of one packet, which
    is never true (ios-facts 2.7).
    """
    matches: list[Match] = []
    for condition in template.matches:
        if condition.kind == "access_list":
            matches += [
                Match("access-group", frozenset({list_name}), condition.negated) for list_name in access_lists
            ]
        else:
            matches.append(Match("dscp", frozenset({condition.value}), condition.negated))
    mode = "match-any" if len(access_lists) > 1 else template.mode
    return ClassMap(name, mode, frozenset(matches))


def policy_map(
    template: PolicyTemplate,
    name: str,
    profile: Profile,
    *,
    classes: Mapping[str, str] | None = None,
    granted_bps: Mapping[str, int] | None = None,
) -> PolicyMap:
    """Return the policy-map named `name`.

    `classes` renames classes that are a link's own. `granted_bps` (service class -> bit/s), when given, polices to
    the grants instead of the cap (D4.4.2v2 section 2.5 a); a class with nothing granted is remarked to 0 instead
    of policed to nothing, which no router takes. Raises InvalidInput (field ios) for a release without percentages.
    """
    renamed = classes or {}
    return PolicyMap(
        name,
        tuple(
            PolicyClass(
                renamed.get(entry.class_name, entry.class_name),
                frozenset(_actions(entry, profile, granted_bps)),
            )
            for entry in template.classes
        ),
    )


def _actions(entry: ClassTemplate, profile: Profile, granted_bps: Mapping[str, int] | None) -> list[Action]:
    actions: list[Action] = []
    granted = None if granted_bps is None or entry.service is None else granted_bps.get(entry.service)
    if granted == 0:
        return [SetField("dscp", 0)]
    if entry.set_dscp is not None:
        actions.append(SetField("dscp", entry.set_dscp))
    if entry.police is not None:
        if granted is None and not profile.police_percent:
            raise InvalidInput(
                f"{profile.name} {profile.release} does not take `police cir percent` (ios-facts 2.1)",
                field="ios",
            )
        rate = Percent(entry.police.percent) if granted is None else Bps(granted)
        actions.append(Police(rate, conform=(entry.police.conform,), exceed=(entry.police.exceed,)))
    if entry.strict_priority is not None:
        # The 7200 refuses the bare keyword (ios-facts 2.3); on the 12000 it takes no argument (ios-facts 2.2).
        bare = profile.bare_priority
        actions.append(Priority() if bare else Priority("percent", entry.strict_priority.percent))
    if entry.random_detect is not None:
        if entry.class_name == CLASS_DEFAULT and _wants_fair_queue(profile):
            actions.append(FairQueue())
        actions.append(RandomDetect("dscp"))
    return actions


def _wants_fair_queue(profile: Profile) -> bool:
    """Before HQF class-default has to be a CBWFQ class before it can have WRED (ios-facts 2.3); a 12000 has none."""
    return "fair-queue" in profile.default_queue
