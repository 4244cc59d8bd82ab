"""What a printer prints of what was read is read the same: every platform's templates, every practice router's train in
every manner of printing. The practice routers' printer shares nothing with ours.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from lab.printing import Printer
from lab.trains import SWITCHES
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import AccessList, ClassMap, PolicyMap, RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.pipeline.ios import models
from tests.pipeline.practice import KINDS, Oracle, profile_of

EXAMPLES = int(os.environ.get("MQC_EXAMPLES", "100"))
thorough = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
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
kinds = st.sampled_from(sorted(KINDS))
Thing = ClassMap | PolicyMap | AccessList
objects = st.lists(
    st.one_of(models.CLASS_MAPS, models.policy_maps(), models.access_lists()),
    min_size=1,
    max_size=3,
    unique_by=lambda thing: thing.name,
)


def things_of(config: RunningConfig) -> list[Thing]:
    return [*config.access_lists.values(), *config.class_maps.values(), *config.policy_maps.values()]


@thorough
@given(kinds, objects)
def test_of_every_platforms_templates(kind: str, wanted: list[Thing]) -> None:
    profile = profile_of(kind)
    once = RENDERER.document(wanted, profile)
    read = ios.parse_fragment(once, profile)
    assert set(things_of(read)) == set(wanted), once
    ordered = things_of(read)
    again = ios.parse_fragment(RENDERER.document(ordered, profile), profile)
    assert things_of(again) == ordered


@thorough
@given(kinds, objects, st.data())
def test_of_every_train_in_every_manner(kind: str, wanted: list[Thing], data: st.DataObject) -> None:
    """A router takes what it takes of the objects; what it holds reads the same in whatever manner it is printed,
    and typed into another router of its kind it reads the same again.
    """
    profile = profile_of(kind)
    router = Oracle(kind)
    answered = router.send(RENDERER.document(wanted, profile).splitlines())
    held = router.read()
    event(f"{kind} {'refused a line' if answered else 'took all'}")
    if not answered:
        assert set(things_of(held)) >= {
            thing for thing in wanted if not isinstance(thing, PolicyMap) or thing.classes
        }
    assume(things_of(held))
    manner: dict[str, Any] = {
        name: data.draw(st.sampled_from(SWITCHES[name]), label=name) for name in PRINTING
    }
    train = replace(router.device.spec.train, **manner)
    printed = Printer(train).body(router.device.config, 17180000)
    assert ios.parse(printed, profile) == held, printed
    other = Oracle(kind)
    assert other.send(RENDERER.document(things_of(held), profile).splitlines()) == []
    assert things_of(other.read()) == things_of(held)
