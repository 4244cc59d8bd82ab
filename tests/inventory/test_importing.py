"""Importing is idempotent, all or nothing, deletes nothing, and says what it did."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from inventory.models import AccessLink, CoreLink, Domain, Interface, LineCard, Nren, Prefix, Router
from inventory.readers.entries import NetworkFile
from provisioning.errors import Conflict, NotPermitted
from provisioning.models import Actor, AuditEvent, Credential, LedgerEntry, PremiumRequest, Reservation, Role
from provisioning.services import audit
from provisioning.services.inventory import import_network
from tests.inventory.conftest import network
from tests.inventory.test_reading import KEY, managed

pytestmark = pytest.mark.django_db


def test_6net_becomes_rows_and_a_second_import_changes_nothing(
    six_net: NetworkFile, clockwork: Actor
) -> None:
    first = import_network(actor=clockwork, network=six_net)
    assert set(first.counts()) == {"created", "updated", "unchanged", "absent"}
    assert first.counts()["updated"] == first.counts()["absent"] == first.counts()["unchanged"] == 0
    assert (Router.objects.count(), CoreLink.objects.count(), AccessLink.objects.count()) == (9, 11, 9)
    assert Interface.objects.count() == 32
    janet = AccessLink.objects.get(name="JANET@uk6:POS1/0")
    assert (janet.interface.line_rate_bps, janet.interface.bw_bps) == (155_520_000, 155_000_000)
    assert janet.interface.percent_base_bps == 155_000_000
    assert str(Domain.objects.get().prefix) == "2001:798::/40"

    events = AuditEvent.objects.count()
    second = import_network(actor=clockwork, network=six_net)
    assert second.counts() == {
        "created": 0,
        "updated": 0,
        "unchanged": first.counts()["created"],
        "absent": 0,
    }
    assert AuditEvent.objects.count() == events
    assert audit.verify_chain().intact


def test_the_trail_names_the_file_and_not_where_it_lies(six_net: NetworkFile, clockwork: Actor) -> None:
    lying = dataclasses.replace(six_net, source="/home/somebody/secret project/6net.yaml")
    assert import_network(actor=clockwork, network=lying).source == "6net.yaml"
    event = AuditEvent.objects.get(action="inventory.import")
    assert event.reason == "network file 6net.yaml"
    assert "somebody" not in str(event.after)


def test_a_dry_run_says_the_same_and_writes_nothing(clockwork: Actor) -> None:
    dry = import_network(actor=clockwork, network=network(), dry_run=True)
    assert dry.changed
    assert not Domain.objects.exists()
    assert not AuditEvent.objects.exists()
    real = import_network(actor=clockwork, network=network())
    assert [row.as_dict() for row in real.rows] == [row.as_dict() for row in dry.rows]


def test_an_update_names_the_field_and_both_values(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    report = import_network(
        actor=clockwork,
        network=network(
            ("case: trusted", "case: filtered"), ("usable_bps: 850000000", "usable_bps: 800000000")
        ),
    )
    told = {(row.kind, row.name): [str(change) for change in row.changes] for row in report.having("updated")}
    assert told == {
        ("access link", "North@aa1:POS1/0"): ["case trusted -> filtered"],
        ("interface", "bb1:GigabitEthernet2/0"): ["usable_bps 850000000 -> 800000000"],
    }
    assert AccessLink.objects.get(name="North@aa1:POS1/0").case == "filtered"


def test_rows_absent_from_the_file_are_reported_and_kept(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    peering = "peerings:\n  - {name: Outside, router: aa1, interface: POS1/1, capacity_bps: 155520000}\n"
    report = import_network(
        actor=clockwork, network=network((peering, ""), (', "192.0.2.0/24"', ""), (', 2: "4+"', ""))
    )
    assert {(row.kind, row.name) for row in report.having("absent")} == {
        ("peering", "Outside@aa1:POS1/1"),
        ("interface", "aa1:POS1/1"),
        ("prefix", "192.0.2.0/24 (South)"),
        ("line card", "aa1 slot 2 engine 4+"),
    }
    assert not report.changed
    assert Prefix.objects.filter(network="192.0.2.0/24").exists()
    assert LineCard.objects.filter(slot=2).exists()
    assert any("never deletes" in line for line in report.lines())


def test_an_interface_held_by_a_row_the_file_does_not_mention_is_refused_whole(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    renamed = network(("nren: South", "nren: North"), ("asn: 64500", "asn: 64501"))
    with pytest.raises(Conflict, match="bb1:GigabitEthernet2/0 is held by South@bb1:GigabitEthernet2/0"):
        import_network(actor=clockwork, network=renamed)
    assert Domain.objects.get().asn == 64500


def test_a_prefix_that_overlaps_one_the_file_does_not_mention_is_refused_whole(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    with pytest.raises(Conflict, match="2001:db8:8000::/64 of South overlaps 2001:db8:8000::/48 of North"):
        import_network(
            actor=clockwork,
            network=network(
                ('"2001:db8:8000::/48"', '"2001:db8:a000::/48"'), ('"192.0.2.0/24"', '"2001:db8:8000::/64"')
            ),
        )
    assert not Prefix.objects.filter(network="2001:db8:a000::/48").exists()


def test_a_router_of_another_domain_is_not_stolen(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network())
    with pytest.raises(Conflict, match="aa1 belongs to the domain Practice, not to Other"):
        import_network(actor=clockwork, network=network(("name: Practice", "name: Other")))
    assert Domain.objects.count() == 1


def test_a_changed_link_says_which_reservations_rest_on_it(clockwork: Actor, django_user_model: type) -> None:
    import_network(actor=clockwork, network=network())
    user = django_user_model.objects.create_user("north")
    north, south = Nren.objects.get(name="North"), Nren.objects.get(name="South")
    now = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)
    request = PremiumRequest.objects.create(
        nren=north, receiving_nren=south, source_link=north.access_links.get(),
        destination_link=south.access_links.get(), rate_bps=10**6, bucket_bytes=3000, max_packet_bytes=1500,
        start=now, contact="a@example.org", submitted_by=user,
    )  # fmt: skip
    reservation = Reservation.objects.create(request=request, granted_bps=10**6, path=[])
    for link, direction in (("North@aa1:POS1/0", "in"), ("aa1:POS2/0--bb1:POS1/0", "a-z")):
        LedgerEntry.objects.create(
            reservation=reservation,
            request=reservation.request,
            link=link,
            direction=direction,
            pool="ip-premium",
            rate_bps=8 * 10**6,
            start=now,
            exempt="made by a test",
        )
    report = import_network(
        actor=clockwork,
        network=network(
            ("case: trusted", "case: filtered"),
            ('prefix: "2001:db8:0:1', 'bw_bps: 100000000, prefix: "2001:db8:0:1'),
        ),
    )  # fmt: skip
    remarks = {row.name: row.remarks for row in report.rows if row.remarks}
    assert set(remarks) == {"North@aa1:POS1/0", "aa1:POS2/0--bb1:POS1/0"}
    assert "carries 1 charge(s)" in remarks["North@aa1:POS1/0"][0]
    assert remarks["North@aa1:POS1/0"][1].startswith(
        f"NO LONGER FITS: North@aa1:POS1/0 in: PIP-{request.pk} hold up to 8 Mbit/s"
    )
    assert len(remarks["aa1:POS2/0--bb1:POS1/0"]) == 1, "its 20 % still hold up to 8 Mbit/s"
    assert "this change of bw_bps" in remarks["aa1:POS2/0--bb1:POS1/0"][0]
    assert AccessLink.objects.get(name="North@aa1:POS1/0").case == "filtered"


def test_management_is_recorded_once_and_left_alone_when_not_said(clockwork: Actor) -> None:
    said = network(managed(f'host: 192.0.2.7, username: noc, password: "s3cret!", host_key: {KEY}'))
    first = import_network(actor=clockwork, network=said)
    assert ("credential", "aa1", "created") in {(row.kind, row.name, row.outcome) for row in first.rows}
    assert "s3cret" not in "\n".join([*first.lines(), str(first.as_dict())])
    assert not import_network(actor=clockwork, network=said).changed

    silent = import_network(actor=clockwork, network=network())
    router = Router.objects.get(name="aa1")
    assert not silent.changed
    assert (router.management_host, router.host_key) == ("192.0.2.7", KEY)
    assert Credential.objects.get(router=router).password == "s3cret!"
    assert "s3cret" not in str(list(AuditEvent.objects.values()))


def test_a_new_pinned_host_key_is_pointed_out(clockwork: Actor) -> None:
    import_network(actor=clockwork, network=network(managed(f"host: 192.0.2.7, host_key: {KEY}")))
    other = KEY[:-2] + "AA"
    report = import_network(actor=clockwork, network=network(managed(f"host: 192.0.2.7, host_key: {other}")))
    (row,) = report.having("updated")
    assert "the pinned host key changes" in row.remarks[0]


def test_an_nren_may_not_import() -> None:
    actor = Actor(label="north", user_id=7, roles=frozenset({Role.NREN}))
    with pytest.raises(NotPermitted):
        import_network(actor=actor, network=network())
    assert not Domain.objects.exists()
