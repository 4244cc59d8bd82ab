"""The small backbone of the tests: JANET - uk6 - nl6 - gr6 - GRNET, with SURFnet at nl6 and GEANT peering there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

from django.utils import timezone

from inventory.models import AccessLink, Nren, Router
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, Actor, Change, PremiumRequest, Role, RouterPush, Via
from provisioning.services import changes, decisions, jobs, people, planning, practice, queues
from provisioning.services import requests as asking
from provisioning.services.inventory import import_network
from provisioning.services.practice import PracticeNetwork
from tests import forked
from tests.kept import kept

NETWORK = Path(__file__).with_name("backbone.yaml")


@dataclass
class Backbone:
    """The practice routers, and three people: who plans, who approves, and one for each NREN."""

    network: PracticeNetwork
    planner: Actor
    approver: Actor
    nren: dict[str, Actor]
    by_hand: dict[str, set[int]] = field(default_factory=dict)

    def call(self, op: str, router: str | None = None, **arguments: Any) -> dict[str, Any]:
        return practice.call(state_dir=self.network.state_dir, op=op, router=router, **arguments)

    def fault(self, router: str, kind: str, **fault: Any) -> None:
        self.call("fault", router, fault={"kind": kind, **fault})

    def clear(self) -> None:
        self.call("clear")

    def running(self, router: str) -> str:
        return str(self.call("state", router)["running"])

    def bound(self, router: str) -> set[tuple[str, str, str]]:
        """(interface, direction, policy) of every policy in force, told by the router itself."""
        return {
            (item["interface"], item["direction"], item["policy"])
            for item in self.call("state", router)["attachments"]
        }

    def typed(self, router: str) -> list[str]:
        """Every configuration line the router was sent over SSH, what somebody typed at its console left out."""
        history = self.call("state", router)["log"]
        return [
            str(entry["line"])
            for index, entry in enumerate(history)
            if index not in self.by_hand.get(router, set())
        ]

    def console(self, router: str, *lines: str) -> None:
        """Somebody else configures the router by hand."""
        before = len(self.call("state", router)["log"])
        self.call("configure", router, lines=list(lines))
        after = len(self.call("state", router)["log"])
        assert after - before == len(lines)
        self.by_hand.setdefault(router, set()).update(range(before, after))

    def plan(self, **options: Any) -> Change:
        return planning.plan_domain(actor=self.planner, **options)

    def approve(self, change: Change, **options: Any) -> Change:
        return changes.approve(actor=self.approver, change=change, reason="planned works", **options)

    def plan_for(self, request: PremiumRequest, *, again: bool = False) -> Change:
        """Plan what is due where the request enters, as its job would; the change that carries it."""
        if again:
            queues.retry(actor=self.planner, request=request, reason="it was mended")
        planning.plan_router(router_id=request.source_link.interface.router_id)
        return request.changes.order_by("-pk")[0]

    def push(self, change: Change) -> Change:
        """Release an approved change and do what is due until nothing is."""
        changes.release(actor=self.approver, change=change)
        return self.work(change)

    def work(self, change: Change | None = None) -> Change:
        jobs.work(workers=3, until_idle=True)
        if change is not None:
            change.refresh_from_db()
        return change  # type: ignore[return-value]

    def roll_out(self) -> Change:
        """The baseline on every router."""
        return self.push(self.approve(self.plan()))

    def states(self, change: Change) -> dict[tuple[str, str], str]:
        return {
            (push.router.name, push.phase): push.state
            for push in RouterPush.objects.filter(change=change).select_related("router")
        }

    def ask(self, source: str, destination: str, rate: str = "2M", **fields: Any) -> PremiumRequest:
        """A request of the NREN at the source, agreed by the one at the destination."""
        links = {link.nren.name: link for link in AccessLink.objects.select_related("nren")}
        prefix = {nren.name: str(nren.prefixes.get().network) for nren in Nren.objects.all()}
        values: dict[str, Any] = {
            "rate": rate,
            "bucket_bytes": 15000,
            "max_packet_bytes": 1500,
            "source_prefixes": (prefix[source].replace("::/32", ":1::/48"),),
            "destination_prefixes": (prefix[destination].replace("::/32", ":2::/48"),),
            "contact": "noc@example.org",
            "start": timezone.now() - timedelta(seconds=1),
            **fields,
        }
        made = asking.submit(
            actor=self.nren[source],
            data=asking.SubmitRequest(
                source_link=links[source].name, destination_link=links[destination].name, **values
            ),
        )[0]
        asking.consent(actor=self.nren[destination], request=made, agree=True, reason="agreed")
        made.refresh_from_db()
        return made

    def admit(self, request: PremiumRequest) -> PremiumRequest:
        decisions.admit(actor=self.approver, request=request, reason="fits")
        request.refresh_from_db()
        return request

    def stop(self) -> None:
        self.network.stop()


def build(directory: Path, file: Path = NETWORK, *, first: Callable[[], object] = lambda: None) -> Backbone:
    """Import the network, give everybody an account, start the practice routers; `first` may change what they are."""
    kept(("backbone", file), lambda: _import_with_people(file))
    first()
    return _start(directory)


def build_live(directory: Path, *, filtered: tuple[str, ...] = ()) -> Backbone:
    """As `build`, with the baseline on every router, sent over SSH once in a process and for each choice of NRENs whose
    links are ``filtered`` while a reservation sends from them.

    Later the rows come as they were, and the routers boot from what they had saved.
    """
    lab = directory / "lab"
    first: list[Backbone] = []

    def roll_out() -> dict[str, bytes]:
        made = build(directory)
        AccessLink.objects.filter(nren__name__in=filtered).update(case="filtered", standing=False)
        made.roll_out()
        first.append(made)
        return {
            str(path.relative_to(lab)): path.read_bytes()
            for folder in ("keys", "nvram")
            for path in (lab / folder).iterdir()
        }

    saved = kept(("live", filtered), roll_out)
    if first:
        return first[0]
    for name, content in saved.items():
        path = lab / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return _start(directory)


def _start(directory: Path) -> Backbone:
    with patch("provisioning.services.practice.starting.launch", forked.launch):
        network = practice.start(actor=SYSTEM, state_dir=directory / "lab")
    assert not Router.objects.filter(host_key="").exists()
    return Backbone(
        network=network,
        planner=people.actor_named("planner", via=Via.WEB),
        approver=people.actor_named("approver", via=Via.WEB),
        nren={nren.name: people.actor_named(nren.name.lower(), via=Via.API) for nren in Nren.objects.all()},
    )


def _import_with_people(file: Path) -> None:
    import_network(actor=SYSTEM, network=read_network(file), dry_run=False)
    for name in ("planner", "approver"):
        people.put_person(actor=SYSTEM, username=name, roles=[Role.NOC])
    for nren in Nren.objects.all():
        people.put_person(actor=SYSTEM, username=nren.name.lower(), nrens=[nren])
