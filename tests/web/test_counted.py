"""What a router counted after a push, as a table: class by class, what fell within the rate, above it, and was dropped."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from provisioning.models import RouterPush
from provisioning.pipeline import counters
from provisioning.web.counted import rows_of
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]

SHOWN = """\
 GigabitEthernet1/0

  Service-policy input: FILTERED-IN

    Class-map: EF-FILTERED (match-all)
      1204512 packets, 180676800 bytes
      5 minute offered rate 4100000 bps, drop rate 0 bps
      Match: access-group name nren-auth-ef
      police:
          cir 5 %
          cir 50000000 bps, bc 1562500 bytes
        conformed 1204400 packets, 180660000 bytes; actions:
          transmit
        exceeded 112 packets, 16800 bytes; actions:
          drop
        conformed 4100000 bps, exceed 0 bps

    Class-map: class-default (match-any)
      88 packets, 7040 bytes
      5 minute offered rate 0 bps, drop rate 0 bps
      Match: any
"""


def test_each_class_has_its_row(world: World, as_user: As) -> None:
    stored = counters.to_json(counters.parse(SHOWN))
    first, second = rows_of(stored)
    assert (first.place, first.policy, first.name) == (
        "GigabitEthernet1/0 input",
        "FILTERED-IN",
        "EF-FILTERED",
    )
    assert (first.packets, first.bytes, first.rate) == (1204512, 180676800, 50_000_000)
    assert (first.conformed, first.exceeded, first.excess) == (1204400, 112, "drop")
    assert (second.name, second.packets, second.rate, second.conformed) == ("class-default", 88, None, None)
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(counters=stored)
    text = page_text(as_user("niels").get(f"/pushes/{world.pushes['done'].pk}/"))
    for shown in (
        "FILTERED-IN: EF-FILTERED",
        "1,204,512",
        "50 Mbit/s",
        '112 <span class="quiet">drop</span>',
    ):
        assert shown in text, shown
    assert "None" not in text
    assert "Everything, as JSON" in text


def test_what_a_policy_holds_stands_below_its_class() -> None:
    child = {"policy": "CHILD", "classes": [{"name": "EF", "packets": 3, "queue": {"total_drops": 2}}]}
    parent = {"interface": "POS1/0", "pvc": "0/40", "direction": "output", "policy": "PARENT",
              "classes": [{"name": "class-default", "packets": 9, "children": [child]}]}  # fmt: skip
    upper, lower = rows_of([parent])
    assert (upper.depth, lower.depth, lower.policy, lower.drops) == (0, 1, "CHILD", 2)
    assert lower.place == "POS1/0 0/40 output"
    assert rows_of(None) == []
