"""What a printer prints of what was read is read the same: every platform's templates, every practice router's train in
every manner of printing. The practice routers' printer shares nothing with ours.
"""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import event, example, given
from hypothesis import strategies as st

from lab.printing import Printer
from lab.trains import SWITCHES
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import (
    AccessList,
    ClassMap,
    Percent,
    Police,
    PolicyClass,
    PolicyMap,
    RunningConfig,
)
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.ios import models
from tests.pipeline.practice import KINDS, Oracle, profile_of
from tests.pipeline.properties import OF_ROUTERS

RENDERER = Renderer(ios_environment())
PRINTING = [
    "dscp",
    "police_shape",
    "match_blanks",
    "leading_blank",
    "trailing_blank",
    "indent",
    "expand_bursts",
]
PRINTING += ["action_order", "class_map_order", "ipv6_sequence", "ipv4_sequence", "flow_label_order"]
TWICE = AccessList.of("hosts", 4, ("permit ip any any", "permit tcp any any eq 80", "permit ip any any"))
THIRD_COLOUR = Police(Percent(Decimal(86)), exceed=("set-prec-transmit 5",), violate=("drop",))
DROPS_AT_LAST = PolicyMap("P", (PolicyClass("class-default", frozenset({THIRD_COLOUR})),))
Thing = ClassMap | PolicyMap | AccessList
objects = st.lists(
    st.one_of(models.CLASS_MAPS, models.policy_maps(), models.access_lists()),
    min_size=1,
    max_size=2,
    unique_by=lambda thing: thing.name,
)


def things_of(config: RunningConfig) -> list[Thing]:
    return [*config.access_lists.values(), *config.class_maps.values(), *config.policy_maps.values()]


def once(thing: Thing) -> Thing:
    """A list as a router holds it: what is typed a second time without a number is there already; remarks add up."""
    if not isinstance(thing, AccessList):
        return thing
    deciding = {entry.text: entry for entry in reversed(thing.entries) if entry.decides}
    entries = tuple(entry for entry in thing.entries if deciding.get(entry.text, entry) is entry)
    return replace(thing, entries=entries)


@OF_ROUTERS
@given(st.sampled_from(sorted(KINDS)), objects, st.integers(0, 2**64 - 1))
@example("7200-12.2T", [TWICE], 1)  # a router holds an entry once
@example("7200-12.2T", [DROPS_AT_LAST], 1)  # a violate-action is printed where nothing else tells of it
def test_what_is_printed_of_what_was_read_is_read_the_same(
    kind: str, wanted: list[Thing], manner: int
) -> None:
    """Of the templates of the platform, then of a router of it.

    The router takes what it takes of the objects. What it holds then reads the same in whatever manner it is printed,
    and typed into another router of its kind it reads the same again.
    """
    profile = profile_of(kind)
    typed = RENDERER.document(wanted, profile)
    read = things_of(ios.parse_fragment(typed, profile))
    assert set(read) == set(wanted), typed
    assert things_of(ios.parse_fragment(RENDERER.document(read, profile), profile)) == read

    router = Oracle(kind)
    answered = router.send(typed.splitlines())
    held = router.read()
    event(f"{kind} {'refused a line' if answered else 'took all'}")
    if not answered:
        kept = [thing for thing in wanted if not isinstance(thing, PolicyMap) or thing.classes]
        assert set(map(once, things_of(held))) >= set(map(once, kept))
    choose = random.Random(manner).choice
    chosen: dict[str, Any] = {name: choose(SWITCHES[name]) for name in PRINTING}
    printed = Printer(replace(router.device.spec.train, **chosen)).body(router.device.config, 17180000)
    assert ios.parse(printed, profile) == held, printed

    if manner % 4:  # typing it again is most of the time of an example
        return
    other = Oracle(kind)
    assert other.send(RENDERER.document(things_of(held), profile).splitlines()) == []
    assert things_of(other.read()) == things_of(held)
