"""The names of objects that belong to one access link: an access list, its class-map, its policy-map."""

from __future__ import annotations

from dataclasses import dataclass

from provisioning.errors import InvalidInput
from provisioning.pipeline.scheme import Scheme


@dataclass(frozen=True, slots=True)
class LinkNames:
    """IOS names of one link's own objects; kept with the link, never renamed."""

    access_list_v6: str
    access_list_v4: str
    class_map: str
    policy: str


def link_names(scheme: Scheme, suffix: int, case: str = "filtered") -> LinkNames:
    """Return the names for the `suffix`-th link of a router that has objects of its own, counted from 1.

    The first carries the appendix's names (D4.4.2v2 Appendix A); the n-th gets `-Ln`. The letter keeps a link's
    second object apart from a second *version* of an object, which is BASE-2. IPv4 and IPv6 lists cannot share a
    name on IOS (ios-facts 2.7), so the IPv4 one ends in -v4. Raises InvalidInput for a suffix below 1.
    """
    if suffix < 1:
        raise InvalidInput(f"links are counted from 1, not {suffix}", field="suffix")
    tail = "" if suffix == 1 else f"-L{suffix}"
    access_list = scheme.names["filtered_access_list"] + tail
    policy = scheme.names["filtered_policy"] if case == "filtered" else scheme.case_policy(case).name
    return LinkNames(
        access_list_v6=access_list,
        access_list_v4=f"{access_list}-v4",
        class_map=scheme.names["filtered_class_map"] + tail,
        policy=policy + tail,
    )
