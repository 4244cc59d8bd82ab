"""A small world for the pages: the 6NET network, people of every role, requests and changes in many states."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

import inventory
from inventory.models import AccessLink, Nren, Router
from inventory.readers.network_yaml import read_network
from provisioning.models import (
    SYSTEM,
    Actor,
    Change,
    ChangeKind,
    ConfigSnapshot,
    Ownership,
    PremiumRequest,
    Role,
    RouterPush,
    RouterSync,
    Series,
    SyncState,
    Transcript,
    Via,
)
from provisioning.pipeline.states import PushState
from provisioning.services import decisions, people, series
from provisioning.services import requests as service
from provisioning.services.inventory import import_network
from provisioning.services.plans import keep_plan
from provisioning.services.requests import SubmitRequest
from provisioning.services.series import SubmitSeries
from tests.web.plans import RUNNING, swap_plan

PASSWORD = "a-long-practice-password"
TRUSTED = """\
policy-map TRUSTED-IN
 class EF
  police cir percent 5 conform-action transmit exceed-action drop
"""
NETWORK = Path(inventory.__file__).parent / "networks" / "6net.yaml"


@dataclass
class World:
    """What the tests hold on to."""

    users: dict[str, User]
    requests: dict[str, PremiumRequest]
    changes: dict[str, Change]
    pushes: dict[str, RouterPush]
    now: datetime

    def actor(self, name: str) -> Actor:
        return people.actor_for(self.users[name], via=Via.WEB)


def link(nren: str) -> AccessLink:
    return AccessLink.objects.get(nren__name=nren)


def asked(actor: Actor, source: str, target: str, rate: str, **more: Any) -> PremiumRequest:
    """Submit one request from one NREN's link to another's, with that NREN's own prefixes."""
    nets = {name: str(Nren.objects.get(name=name).prefixes.first().network) for name in (source, target)}
    data = SubmitRequest(
        source_link=link(source).name,
        destination_link=link(target).name,
        rate=rate,
        bucket_bytes=6000,
        max_packet_bytes=1500,
        source_prefixes=(nets[source],),
        destination_prefixes=(nets[target],),
        contact="noc@example.org",
        **{"reason": "Video link for a tele-immersion trial", **more},
    )
    return service.submit(actor=actor, data=data)[0]


def weekly(
    world: World,
    *,
    rate: str = "1 Mbit/s",
    times: int = 4,
    only_whole: bool = True,
    direction: str = "one-way",
) -> Series:
    """JANET asks GRNET for two hours, week after week, by the clocks of Athens."""
    start = world.now.replace(minute=0, second=0, microsecond=0) + timedelta(days=2)
    first = SubmitRequest(
        source_link=link("JANET").name,
        destination_link=link("GRNET").name,
        rate=rate,
        bucket_bytes=6000,
        max_packet_bytes=1500,
        source_prefixes=(str(Nren.objects.get(name="JANET").prefixes.first().network),),
        destination_prefixes=(str(Nren.objects.get(name="GRNET").prefixes.first().network),),
        contact="noc@example.org",
        start=start,
        end=start + timedelta(hours=2),
        reason="A course",
        direction=direction,
    )
    data = SubmitSeries(first, f"FREQ=WEEKLY;COUNT={times}", "Europe/Athens", only_whole=only_whole)
    return series.submit(actor=world.actor("jane"), data=data)


def build_people() -> dict[str, User]:
    nrens = {nren.name: nren for nren in Nren.objects.all()}
    return {
        name: people.put_person(
            actor=SYSTEM, username=name, roles=roles, nrens=[nrens[n] for n in of], password=PASSWORD
        )
        for name, roles, of in (
            ("nora", [Role.NOC], []),
            ("niels", [Role.NOC], []),
            ("audrey", [Role.AUDITOR], []),
            ("jane", [], ["JANET"]),
            ("giorgos", [], ["GRNET"]),
            ("dieter", [], ["DFN"]),
            ("nemo", [], []),
        )
    }


def build_network() -> None:
    import_network(actor=SYSTEM, network=read_network(NETWORK))


def build_world() -> World:
    """Return a world with something of everything."""
    build_network()
    users = build_people()
    world = World(users, {}, {}, {}, timezone.now())
    nora, jane, giorgos = world.actor("nora"), world.actor("jane"), world.actor("giorgos")
    later = world.now + timedelta(days=3)
    made = world.requests
    made["consent"] = asked(jane, "JANET", "GRNET", "2 Mbit/s")
    made["decision"] = asked(jane, "JANET", "GRNET", "1 Mbit/s", start=later, end=later + timedelta(days=5))
    service.consent(actor=giorgos, request=made["decision"], agree=True)
    made["too-much"] = asked(jane, "JANET", "GRNET", "8 Mbit/s")
    service.consent(actor=giorgos, request=made["too-much"], agree=True)
    made["own"] = asked(nora, "DFN", "GRNET", "500 kbit/s", reason="Asked by the NOC on behalf of DFN")
    service.consent(actor=giorgos, request=made["own"], agree=True)
    made["admitted"] = asked(jane, "JANET", "GRNET", "3 Mbit/s", start=later, end=later + timedelta(days=9))
    service.consent(actor=giorgos, request=made["admitted"], agree=True)
    decisions.admit(actor=nora, request=made["admitted"], reason="Fits; trial announced in May")
    made["active"] = asked(jane, "JANET", "GRNET", "1500 kbit/s")
    service.consent(actor=giorgos, request=made["active"], agree=True)
    decisions.admit(actor=nora, request=made["active"], reason="Fits")
    decisions.activate(request=made["active"])
    made["overdue"] = asked(giorgos, "GRNET", "DFN", "1 Mbit/s")
    service.consent(actor=world.actor("dieter"), request=made["overdue"], agree=True)
    decisions.admit(actor=nora, request=made["overdue"], reason="Fits")
    made["refused"] = asked(jane, "JANET", "GRNET", "7 Mbit/s")
    decisions.refuse(actor=nora, request=made["refused"], reason="The link is needed for the trial in June.")
    for request in made.values():
        request.refresh_from_db()
    _routers()
    _changes(world)
    return world


def _routers() -> None:
    states = {
        "uk6": SyncState.IN_SYNC,
        "gr6": SyncState.IN_SYNC,
        "nl6": SyncState.IN_SYNC,
        "de6": SyncState.DIFFERS,
    }
    for name, state in states.items():
        router = Router.objects.get(name=name)
        text = RUNNING.replace("hostname nl6", f"hostname {name}")
        snapshot = ConfigSnapshot.objects.create(
            router=router, text=text, digest="1" * 64, serial="SAD0421", ios="12.0(28)S", unsaved=[]
        )
        RouterSync.objects.create(
            router=router,
            state=state,
            snapshot=snapshot,
            core_live=name == "uk6",
            checked_at=timezone.now() - timedelta(minutes=12),
            open_edges=[
                {
                    "interface": "FastEthernet0/1",
                    "reason": "enabled, unknown to the inventory, no input policy",
                }
            ]
            if name == "de6"
            else [],
            detail={
                "items": [
                    {
                        "object": "policy-map TRUSTED-IN",
                        "expected": TRUSTED,
                        "found": TRUSTED.replace("percent 5", "percent 10"),
                    }
                ]
            }
            if name == "de6"
            else {},
        )
    for kind, name in (("class-map", "EF"), ("class-map", "LBE"), ("policy-map", "NON-PARTICIPANT")):
        Ownership.objects.create(router=Router.objects.get(name="nl6"), kind=kind, name=name, digest="2" * 64)


def put_change(
    world: World, key: str, title: str, state: PushState, *, by: str = "nora", **fields: Any
) -> Change:
    """Store a change over nl6 whose push is in ``state``."""
    router = Router.objects.get(name="nl6")
    plan = swap_plan()
    change = Change.objects.create(
        kind=ChangeKind.RESERVATION,
        title=title,
        submitted_by=world.users[by],
        scheme="6net",
        planned_at=world.now,
        **fields,
    )
    world.changes[key] = change
    world.pushes[key] = RouterPush.objects.create(
        change=change,
        router=router,
        phase="edges",
        position=1,
        state=state,
        fingerprint=plan.fingerprint,
        before=ConfigSnapshot.objects.filter(router=router).first(),
        lines=len(plan.commands),
    )
    keep_plan(world.pushes[key], plan)
    return change


def _changes(world: World) -> None:
    edge = {
        "router": "de6",
        "interface": "FastEthernet0/1",
        "reason": "enabled, unknown to the inventory, no input policy",
    }
    planned = put_change(world, "planned", "SURFnet to GRNET, 1 Mbit/s", PushState.PLANNED, open_edges=[edge])
    planned.requests.add(world.requests["overdue"])
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(
        unsaved=["+ snmp-server location Amsterdam"]
    )
    running = put_change(
        world,
        "pushing",
        "Repair of nl6",
        PushState.PUSHING,
        approved_by=world.users["niels"],
        approved_at=world.now,
        released_at=world.now,
        gaps_confirmed=True,
    )
    RouterPush.objects.filter(pk=world.pushes["pushing"].pk).update(line=6, started_at=world.now)
    assert running.pk
    failed = put_change(
        world,
        "failed",
        "Policer of nl6",
        PushState.ROLLED_BACK,
        approved_by=world.users["niels"],
        approved_at=world.now,
        released_at=world.now,
        finished_at=world.now,
    )
    RouterPush.objects.filter(pk=world.pushes["failed"].pk).update(
        line=7,
        error="nl6 answered \"% Invalid input detected at '^' marker.\" to line 8: set dscp 46",
        error_code="line-refused",
    )
    for key in ("pushing", "failed"):
        Transcript.objects.create(
            router=world.pushes[key].router,
            push=world.pushes[key],
            purpose="push",
            lines=[
                [0.1, ">", "configure terminal"],
                [0.2, "<", "Enter configuration commands, one per line.  End with CNTL/Z."],
                [0.3, ">", "ipv6 access-list nren-auth-ef"],
                [0.4, "<", "nl6(config-ipv6-acl)#"],
            ],
        )
    assert failed.pk
    put_change(
        world,
        "done",
        "Baseline",
        PushState.VERIFIED,
        approved_by=world.users["niels"],
        approved_at=world.now,
        released_at=world.now,
        finished_at=world.now,
    )
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(line=13, saved=True)
    put_change(
        world,
        "approved",
        "LBE meters on nl6",
        PushState.APPROVED,
        approved_by=world.users["niels"],
        approved_at=world.now,
    )
    Change.objects.create(
        kind=ChangeKind.RESERVATION,
        title="JANET to GRNET, nothing to send",
        scheme="6net",
        planned_at=world.now,
        finished_at=world.now,
    )
