"""Whose lines are saved, over drawn courses of pushes that end well, are refused, or break off, with somebody at the router at
any line: what they typed is never in startup-config unless a person saved it, and ours is there as soon as nothing keeps it back.

Whoever types marks every line with a word of its own (`MARK`), so that the router's own text is the witness.
"""

from __future__ import annotations

import re
from contextlib import suppress
from random import Random

import pytest

from lab.faults import Faults
from provisioning.errors import Conflict
from provisioning.models import PremiumRequest, RouterPush, RouterSync, SyncState
from provisioning.services import saving, verifying
from tests.depth import sample
from tests.services import in_process
from tests.services.house import SENDERS, House
from tests.services.house import bare_house as bare_house
from tests.services.house import house as house

pytestmark = pytest.mark.once  # over practice routers, the same on either database

MARK = re.compile(r"MARK-\d+")
NAMES = ("uk6", "nl6", "gr6")


class Hand:
    """Somebody who types at routers, each time something of their own; and, at times, saves there."""

    def __init__(self, house: House, dice: Random) -> None:
        self.house, self.dice, self.count = house, dice, 0
        self.let: dict[str, set[str]] = {name: set() for name in NAMES}
        """What a person saved, by router."""

    def types(self, name: str) -> None:
        self.count += 1
        mark = f"MARK-{self.count}"
        interface = self.dice.choice(("POS1/0", "POS2/0"))
        lines = self.dice.choice(
            (
                (f"interface {interface}", f"description {mark}"),
                (f"snmp-server location {mark}",),
                (f"policy-map {mark}", "class class-default", "set dscp default"),
                (f"class-map match-all {mark}", "match dscp 8"),
                (f"ipv6 access-list {mark}", "permit ipv6 any any"),
            )
        )
        self.house.routers.type(name, *lines)

    def saves(self, name: str) -> None:
        device = self.house.routers.devices[name]
        device.save("mary")
        self.let[name] = set(MARK.findall(device.startup or ""))

    def marks(self, name: str) -> tuple[set[str], set[str]]:
        """Those in running-config and in startup-config."""
        device = self.house.routers.devices[name]
        return set(MARK.findall(device.running_config())), set(MARK.findall(device.startup or ""))


def push_what_waits(house: House) -> None:
    for change in {
        push.change for push in RouterPush.objects.filter(state="PLANNED").select_related("change")
    }:
        house.approve(house.noc[3], change)
    house.work()


@pytest.mark.parametrize("seed", sample(range(6), one_in=9))
def test_nothing_foreign_is_saved_and_ours_is_when_nothing_keeps_it_back(
    house: House, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice = Random(seed)
    hand = Hand(house, dice)
    typing: dict[str, int] = {}

    def wrote() -> None:
        for name in list(typing):
            typing[name] -= 1
            if typing[name] <= 0:
                del typing[name]
                hand.types(name)

    monkeypatch.setattr(in_process, "wrote", wrote)
    asked: list[PremiumRequest] = []
    not_saved = 0
    for step in range(14):
        name = dice.choice(NAMES)
        match dice.randrange(8):
            case 0 | 1 if len(asked) < len(SENDERS):
                asked.append(house.ask(len(asked) + 1, SENDERS[len(asked)], 1))
                house.begin(asked[-1])
            case 2 if asked:
                house.end(dice.choice(asked))
            case 3:
                hand.types(name)
            case 4:
                typing[name] = dice.randrange(1, 12)
            case 5:
                house.routers.breaks[name] = dice.randrange(1, 9)
            case 6:
                fault = {"kind": "write-fails", "times": 1}
                if dice.random() < 0.5:
                    fault = {"kind": "refuse", "match": "^service-policy", "message": "not here", "times": 1}
                house.routers.devices[name].faults.add(fault)
            case _:
                hand.saves(name)
        house.work()
        push_what_waits(house)
        for each in NAMES:
            running, saved = hand.marks(each)
            assert saved <= hand.let[each], f"step {step}: {saved - hand.let[each]} of somebody else is saved"
        verifying.verify_routers(names=list(NAMES))
        for sync in RouterSync.objects.select_related("router"):
            running, saved = hand.marks(sync.router.name)
            foreign = sync.unsaved.get("foreign", [])
            assert {mark for line in foreign for mark in MARK.findall(line)} >= running - saved
            ours = sync.unsaved.get("ours", [])
            assert not any(MARK.search(line) for line in ours), ours
            not_saved += bool(ours)
    if seed == 0:
        assert not_saved, "no course in which something of ours stayed unsaved: nothing is tried here"
    typing.clear()
    house.routers.breaks.clear()
    for device in house.routers.devices.values():
        device.faults = Faults()
    house.wait(400)
    house.work()
    for each in NAMES:
        kept = RouterSync.objects.get(router__name=each)
        router = kept.router
        seen = saving.look(actor=house.noc[0], router=router)
        if not (seen.ours or seen.foreign):
            continue
        with suppress(Conflict):  # a push that was left unknown there has to be over first
            done = saving.save_router(actor=house.noc[0], router=router, seen=seen.digest, reason="agreed")
            assert done.saved and done.meanwhile == ()
            assert RouterSync.objects.get(router=router).unsaved == {}
            running, saved = hand.marks(each)
            assert running == saved


def test_our_lines_alone_are_never_called_foreign(house: House) -> None:
    """Whatever breaks off, is refused and goes on: nobody else typed, so nothing that is unsaved is anybody else's."""
    for seed in sample(range(4), one_in=2):
        dice = Random(seed)
        request = house.ask(seed + 1, SENDERS[seed], 1)
        house.begin(request)
        for name in NAMES:
            house.routers.breaks[name] = dice.randrange(1, 14)
            house.routers.devices[name].faults.add({"kind": "write-fails", "times": dice.randrange(1, 3)})
        house.work()
        push_what_waits(house)
        house.wait(400)
        house.work()
        for row in verifying.verify_routers(names=list(NAMES)):
            assert row.unsaved.get("foreign", []) == [], (seed, row.router.name)
        assert not RouterPush.objects.exclude(unsaved=[]).exists(), "shown at approval as other people's"
        assert set(RouterSync.objects.values_list("state", flat=True)) == {SyncState.IN_SYNC}
