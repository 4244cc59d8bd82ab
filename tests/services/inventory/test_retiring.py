"""Who goes is refused while something depends on it, by name; then it is gone for everybody but who referred to it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Peering, Prefix, Router
from inventory.readers.network_yaml import read_network
from provisioning.errors import InvalidFields, NotPermitted, StaleState
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    LedgerEntry,
    LinkObjectName,
    Membership,
    Ownership,
    PremiumRequest,
    Role,
    RouterSync,
    TopologyVersion,
)
from provisioning.selectors.network import load_network
from provisioning.services import decisions, inventory, people, requests, tokens
from provisioning.services.inventory import Leaves, ReservationsStranded, StillNeeded, import_network
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, access, ask, asking, core, network, put, seen

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 6


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    path = network(tmp_path / "network.yaml", DIAMOND)
    put(path)
    noc()
    return path


def retire(row: object, **more: object) -> inventory.Rewritten:
    return inventory.retire(actor=noc(), row=row, reason="it is over", **more)  # type: ignore[arg-type]


def test_a_link_with_a_request_stays_and_the_request_is_named() -> None:
    request = ask("a", "d", MBIT)
    link = AccessLink.objects.get(name=access("d"))
    with pytest.raises(StillNeeded, match=rf"Not decided: PIP-{request.pk}\. Refuse them") as raised:
        retire(link)
    (obstacle,) = raised.value.obstacles
    assert [(each.kind, each.key) for each in obstacle.named] == [("PremiumRequest", request.pk)]
    decisions.admit(actor=noc(), request=request, reason="it fits")
    with pytest.raises(StillNeeded, match="Granted: PIP-"):
        retire(link)
    requests.withdraw(actor=noc(), request=request, reason="not needed")
    with pytest.raises(StillNeeded, match="Charged to it: PIP-"):
        retire(link)
    assert AccessLink.objects.filter(pk=link.pk).exists()
    LedgerEntry.objects.update(released_at="2026-01-01T00:00:00Z")
    retire(link)
    assert not AccessLink.objects.filter(pk=link.pk).exists()
    request.refresh_from_db()
    assert request.destination_link.name == access("d"), "who referred to it sees it still"
    assert request.destination_link.interface.router.name == "d"


def test_a_link_that_goes_leaves_the_network_and_its_interface(file: Path) -> None:
    link = AccessLink.objects.get(name=access("a"))
    LinkObjectName.objects.create(link=link, router=Router.objects.get(name="a"), suffix=1)
    seen("a")
    versions = TopologyVersion.objects.count()
    done = retire(link, leaves=Leaves("shut"))
    assert done.routers == ("a",)
    assert TopologyVersion.objects.count() == versions + 1
    assert load_network().access_link(access("a")) is None
    there = Interface.objects.get(router__name="a", name="GigabitEthernet1/0")
    assert there.exempt_reason == "shut"
    assert not LinkObjectName.objects.exists()
    event = AuditEvent.objects.get(action="access-link.retire")
    assert event.object_label == access("a")
    assert event.before["case"] == "trusted"
    assert event.nren_ids == [link.nren_id]
    with pytest.raises(StaleState, match="retired meanwhile"):
        retire(link)
    put(file)  # the file still has it: it is a link anew, of the same name
    again = AccessLink.objects.get(name=access("a"))
    assert again.pk != link.pk
    assert again.interface == there
    assert AccessLink.every.filter(name=access("a")).count() == 2
    retire(again)
    assert not Interface.objects.filter(pk=there.pk).exists(), "it went with its link"


def test_a_core_link_that_carries_the_only_path_stays() -> None:
    request = ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=request, reason="it fits")
    done = retire(CoreLink.objects.get(name=core(0)))
    assert done.renewal is not None
    assert [moved.request.pk for moved in done.renewal.moved] == [request.pk], (
        "over the other side of the diamond"
    )
    with pytest.raises(ReservationsStranded, match=f"PIP-{request.pk}"):
        retire(CoreLink.objects.get(name=core(2)))
    assert CoreLink.objects.count() == 3


def test_a_router_goes_with_what_is_on_it_once_its_links_went() -> None:
    router = Router.objects.get(name="a")
    LineCard.objects.create(router=router, slot=2, engine="3")
    with pytest.raises(StillNeeded) as raised:
        retire(router)
    assert [each.what for each in raised.value.obstacles] == ["Access links", "Core links"]
    for row in (AccessLink.objects.get(name=access("a")), *CoreLink.objects.filter(name__startswith="a:")):
        retire(row)
    Ownership.objects.create(router=router, kind="policy-map", name="TRUSTED-IN", digest="0" * 64)
    RouterSync.objects.create(router=router)
    with pytest.raises(StillNeeded, match="policy-map TRUSTED-IN"):
        retire(router)
    retire(router, gone=True)
    assert not Router.objects.filter(name="a").exists()
    assert not RouterSync.objects.exists()
    assert not LineCard.objects.exists()
    event = AuditEvent.objects.get(action="router.retire")
    assert event.before["objects_of_ours"] == ["policy-map TRUSTED-IN"]
    assert event.after == {"retired": True, "box gone": True}


def test_a_card_stays_while_an_interface_is_in_its_slot() -> None:
    card = LineCard.objects.create(router=Router.objects.get(name="a"), slot=2, engine="3")
    with pytest.raises(StillNeeded, match="POS2/0"):
        retire(card)
    other = LineCard.objects.create(router=card.router, slot=5, engine="3")
    retire(other)
    assert list(LineCard.objects.all()) == [card]
    with pytest.raises(StillNeeded, match="Core links"):
        retire(Interface.objects.get(router__name="a", name="POS2/0"))


def test_an_nren_goes_after_its_links_people_and_tokens(file: Path) -> None:
    jane = person("jane", nrens=("Na",))
    nren = Nren.objects.get(name="Na")
    user = people.user_named("jane")
    token, _ = tokens.issue(actor=jane, user=user, nren=nren, name="script", scopes=["read"])
    with pytest.raises(StillNeeded) as raised:
        retire(nren)
    assert [each.what for each in raised.value.obstacles] == [
        "Access links",
        "Tokens that speak for it",
        "People who act for it",
    ]
    retire(AccessLink.objects.get(nren=nren))
    tokens.revoke(actor=jane, token=token, reason="over")
    people.put_person(actor=SYSTEM, username="jane", nrens=[])
    retire(nren)
    assert not Nren.objects.filter(name="Na").exists()
    assert not Prefix.objects.filter(nren=nren).exists(), "its prefixes are free for another"
    put(file)
    assert Nren.objects.get(name="Na").pk != nren.pk


def test_a_peering_goes_and_its_interface_becomes_a_neighbours(tmp_path: Path) -> None:
    text = (tmp_path / "network.yaml").read_text()
    peering = (
        "peerings:\n  - {name: GEANT, router: b, interface: POS1/1, capacity_bps: 155520000, "
        "provenance: representative}\n"
    )
    (tmp_path / "peering.yaml").write_text(text + peering)
    put(tmp_path / "peering.yaml")
    row = Peering.objects.get()
    seen("b")
    shown = retire(row, leaves=Leaves("until it is a neighbour"), dry_run=True)
    assert shown.routers == ("b",)
    assert Peering.objects.exists()
    retire(row, leaves=Leaves("until it is a neighbour"))
    link = (
        "  - {nren: GEANT, router: b, interface: POS1/1, capacity_bps: 155520000, case: trusted, "
        'neighbour: {agreement: "MoU", dscp: {46: 47}}}\n'
    )
    nren = "  - {name: GEANT, country: eu, prefixes: [2001:798::/32]}\n"
    (tmp_path / "neighbour.yaml").write_text(text.replace("access_links:\n", nren + "access_links:\n") + link)
    import_network(actor=SYSTEM, network=read_network(tmp_path / "neighbour.yaml"))
    assert load_network().access_link("GEANT@b:POS1/1") is not None


def test_only_who_changes_the_network_retires() -> None:
    with pytest.raises(NotPermitted):
        inventory.retire(actor=person("audrey", Role.AUDITOR), row=Nren.objects.get(name="Na"), reason="x")


def test_a_link_goes_while_somebody_asks_for_it(file: Path) -> None:
    """Either the request is there and the link stays, or the link goes and the request is refused: never both."""
    actor, data = asking("a", "d", MBIT)
    seen("d")
    outcomes = set()
    for _ in range(ROUNDS):
        link = AccessLink.objects.get(name=access("d"))
        asked, gone = at_once(
            partial(requests.submit, actor=actor, data=data),
            partial(inventory.retire, actor=noc(), row=link, reason="over", leaves=Leaves("shut")),
        )
        living = AccessLink.objects.filter(pk=link.pk).exists()
        if isinstance(asked, InvalidFields):
            assert not living, gone
            assert not PremiumRequest.objects.filter(destination_link=link).exists()
        else:
            assert isinstance(asked, tuple), asked
            assert living
            assert isinstance(gone, StillNeeded), gone
            requests.withdraw(actor=actor, request=asked[0], reason="again")
        outcomes.add(living)
        put(file)
    assert outcomes


def test_a_link_goes_while_a_request_for_it_is_admitted(file: Path) -> None:
    """The request was asked for before: the link stays whoever comes first, and it is charged to a link that is there."""
    link = AccessLink.objects.get(name=access("d"))
    for _ in range(ROUNDS):
        request = ask("a", "d", MBIT)
        verdict, gone = at_once(
            partial(decisions.admit, actor=noc(), request=request, reason="it fits"),
            partial(inventory.retire, actor=noc(), row=link, reason="over"),
        )
        assert isinstance(gone, StillNeeded), gone
        assert not isinstance(verdict, Exception), verdict
        assert AccessLink.objects.filter(pk=link.pk).exists()


def test_two_retire_the_same_link() -> None:
    link = AccessLink.objects.get(name=access("a"))
    answers = at_once(
        *[partial(inventory.retire, actor=noc(name), row=link, reason="over") for name in ("nora", "nick")]
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["Rewritten", "StaleState"]
    assert AuditEvent.objects.filter(action="access-link.retire").count() == 1


def test_who_joins_an_nren_while_it_goes() -> None:
    nren = Nren.objects.get(name="Na")
    retire(AccessLink.objects.get(nren=nren))
    for number in range(ROUNDS):
        joined, gone = at_once(
            partial(people.put_person, actor=SYSTEM, username=f"new{number}", nrens=[nren]),
            partial(inventory.retire, actor=noc(), row=nren, reason="over"),
        )
        living = Nren.objects.filter(pk=nren.pk).exists()
        assert Membership.objects.filter(nren=nren).exists() == living, (joined, gone)
        if not living:
            break
        assert isinstance(gone, StillNeeded), gone
        people.put_person(actor=SYSTEM, username=f"new{number}", nrens=[])
