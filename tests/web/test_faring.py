"""How a router fared before and after a push, on its page: what became worse is marked, what was not looked at is said."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from provisioning.models import RouterPush
from provisioning.pipeline.health import Cpu, Health, Neighbour
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]

PEER, CORE = ("BGP", "10.0.0.2"), ("IS-IS", "uk6 on PO2/0")
BEFORE = Health(
    {PEER: Neighbour("Established", True), CORE: Neighbour("Up", True)},
    frozenset({"BGP", "IS-IS"}),
    {"POS2/0": True, "POS2/1": True},
    Cpu(3, 2),
    ("OSPF: `show ip ospf neighbor`: % Invalid input detected at '^' marker.",),
)
AFTER = Health(
    {CORE: Neighbour("Up", True)},
    frozenset({"BGP", "IS-IS"}),
    {"POS2/0": True, "POS2/1": False},
    Cpu(4, 3),
)


def shown(push: RouterPush, as_user: As, health: object) -> str:
    RouterPush.objects.filter(pk=push.pk).update(health=health)
    return page_text(as_user("nora").get(f"/pushes/{push.pk}/"))


def test_what_became_worse_is_marked_and_nothing_else(world: World, as_user: As) -> None:
    kept = {"before": BEFORE.to_json(), "after": AFTER.to_json(), "cpu_limit": 90, "worse": []}
    text = shown(world.pushes["failed"], as_user, kept)
    assert text.count(": worse</strong>") == 2
    for said in (
        "BGP neighbour 10.0.0.2", "gone: worse", "interface POS2/1", "down: worse", "IS-IS neighbour uk6 on PO2/0",
        "4 % over five seconds, 3 % over a minute", "2 interfaces of the inventory", "Not looked at: OSPF",
    ):  # fmt: skip
        assert said in text, said
    assert "interface POS2/0" not in text


def test_while_it_is_sent_there_is_one_look_and_where_nobody_looked_no_table(
    world: World, as_user: As
) -> None:
    push = world.pushes["pushing"]
    assert "not looked at yet" in shown(push, as_user, {"before": BEFORE.to_json()})
    assert "How the router fares" not in shown(push, as_user, None)
