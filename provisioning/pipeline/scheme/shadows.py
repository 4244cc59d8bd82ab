"""Classes that no packet can reach: IOS takes the first class of a policy that matches."""

from __future__ import annotations

from collections.abc import Mapping

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme.templates import CLASS_DEFAULT, ClassMapTemplate, PolicyTemplate


def check_reach(class_maps: Mapping[str, ClassMapTemplate], policy: PolicyTemplate) -> None:
    """Raise InvalidInput for a class whose packets all went to earlier ones, or that takes no packet at all.

    A class that also asks an access list takes part of what its DSCPs say, so only an equal one hides it.
    """
    taken: dict[int, str] = {}
    seen: dict[frozenset[object], str] = {}
    for index, entry in enumerate(policy.classes):
        if entry.class_name == CLASS_DEFAULT:
            continue
        field = f"policies.{policy.name}.classes[{index}].class"
        held = class_maps[entry.class_name]
        wanted = held.dscps
        if not wanted:
            raise InvalidInput(f"{held.name} takes no packet: its conditions exclude each other", field=field)
        matches = frozenset(held.matches)
        if matches in seen:
            raise InvalidInput(
                f"an earlier class ({seen[matches]}) takes the same packets: never reached", field=field
            )
        if wanted <= taken.keys():
            earlier = ", ".join(sorted({taken[dscp] for dscp in wanted}))
            raise InvalidInput(
                f"earlier classes ({earlier}) take all its packets: never reached", field=field
            )
        seen[matches] = held.name
        if held.access_list is None and held.link_list is None:
            for dscp in wanted:
                taken.setdefault(dscp, held.name)
