"""A row is edited on top of what was read, shown before it is done, and everything live follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.models import AccessLink, CoreLink, Interface, LineCard, Nren, Router
from provisioning.errors import Conflict, InvalidFields, InvalidInput, NotPermitted
from provisioning.models import AuditEvent, Change, Credential, LedgerEntry, RouterPush, TopologyVersion
from provisioning.selectors.quarantine import case_before
from provisioning.services import credentials, decisions, inventory
from provisioning.services.inventory import ReservationsStranded, RowChanged, editable, spelled, values_of
from tests.services.requests.sixnet import noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _diamond(tmp_path: Path) -> None:
    put(network(tmp_path / "network.yaml", DIAMOND))
    noc()


def test_a_metric_is_shown_first_and_then_moves_who_is_charged() -> None:
    request = ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=request, reason="it fits")
    row = CoreLink.objects.get(name=core(0))
    versions = TopologyVersion.objects.count()
    shown = inventory.edit(actor=noc(), row=row, values={"metric": 100}, reason="dear", dry_run=True)
    assert shown.renewal is not None
    assert [moved.request.pk for moved in shown.renewal.moved] == [request.pk]
    assert shown.routers == ("a", "b"), "its ends"
    row.refresh_from_db()
    assert (row.metric, TopologyVersion.objects.count()) == (10, versions), "nothing stays of what was shown"
    done = inventory.edit(actor=noc(), row=row, values={"metric": 100}, reason="dear")
    assert [str(change) for change in done.changes] == ["metric 10 -> 100"]
    charged = LedgerEntry.objects.filter(request=request, released_at=None, moving_since=None)
    assert {core(2), core(3)} <= set(charged.values_list("link", flat=True))
    event = AuditEvent.objects.get(action="core-link.edit")
    assert (event.object_id, event.before, event.after) == (str(row.pk), {"metric": "10"}, {"metric": "100"})
    assert event.reason == "dear"
    assert AuditEvent.objects.filter(action="reservation.recharge", object_id=str(request.pk)).exists()


def test_two_who_read_the_same_row_the_second_is_told_by_whom() -> None:
    row = Router.objects.get(name="a")
    seen = spelled(values_of(row))
    inventory.edit(actor=noc("nora"), row=row, values={"management_host": "192.0.2.1"}, reason="x", seen=seen)
    with pytest.raises(
        RowChanged, match=r"management_host read nothing and is 192\.0\.2\.1\. nora changed it"
    ):
        inventory.edit(actor=noc("nick"), row=row, values={"driver": "napalm"}, reason="y", seen=seen)
    row.refresh_from_db()
    assert (row.management_host, row.driver) == ("192.0.2.1", "netmiko")


def test_an_import_does_not_let_in_who_was_shut_out(tmp_path: Path) -> None:
    row = AccessLink.objects.get(interface__router__name="a")
    was, file = row.case, network(tmp_path / "again.yaml", DIAMOND)
    inventory.edit(actor=noc(), row=row, values={"case": "non-participant"}, reason="it floods us")
    put(file)
    row.refresh_from_db()
    assert (row.case, case_before(row)) == ("non-participant", was)
    inventory.edit(actor=noc(), row=row, values={"case": was}, reason="it stopped")
    assert case_before(row) == ""
    put(file)
    row.refresh_from_db()
    assert row.case == was


def test_who_wrote_something_else_is_not_blamed_for_an_import(tmp_path: Path) -> None:
    row = Router.objects.get(name="a")
    inventory.edit(actor=noc("nora"), row=row, values={"management_host": "192.0.2.1"}, reason="x")
    seen = spelled(values_of(Router.objects.get(name="a")))
    file = network(tmp_path / "newer.yaml", DIAMOND)
    file.write_text(file.read_text().replace("12.3(14)T", "12.4(24)T", 1))
    put(file)
    with pytest.raises(RowChanged, match=r"An import, or somebody else, changed it\.") as raised:
        inventory.edit(actor=noc("nick"), row=row, values={"driver": "napalm"}, reason="y", seen=seen)
    assert "ios read 12.3(14)T and is 12.4(24)T" in str(raised.value)
    assert "nora" not in str(raised.value)


def test_a_router_stays_as_it_is_driven_while_a_push_is_half_way() -> None:
    row = Router.objects.get(name="a")
    change = Change.objects.create(kind="baseline", title="any", scheme="6net")
    push = RouterPush.objects.create(change=change, router=row, phase="edges", position=0, state="PUSHING")
    for values in ({"management_host": "192.0.2.1"}, {"driver": "asyncssh"}, {"ios": "12.4(24)T"}):
        for dry_run in (True, False):
            with pytest.raises(
                Conflict, match=rf"{next(iter(values))} of a .*not ended: {change.reference} on a"
            ):
                inventory.edit(actor=noc(), row=row, values=values, reason="x", dry_run=dry_run)
    inventory.edit(actor=noc(), row=row, values={"roles": ["core"]}, reason="x")
    RouterPush.objects.filter(pk=push.pk).update(state="UNKNOWN")
    with pytest.raises(Conflict, match="platform of a"):
        inventory.edit(actor=noc(), row=row, values={"platform": "7200"}, reason="x")
    inventory.edit(actor=noc(), row=row, values={"management_host": "192.0.2.1"}, reason="it moved")
    row.refresh_from_db()
    assert row.management_host == "192.0.2.1", "what an unknown push may wait for"


def test_a_linux_router_keeps_a_driver_that_speaks_to_a_shell() -> None:
    row = Router.objects.get(name="a")
    row.platform, row.ios, row.driver = "linux", "6.1", "asyncssh"
    assert [(each.field, each.reason) for each in editable._wrong(row)] == [
        ("driver", "asyncssh speaks to no shell; one of netmiko, auto")
    ]
    row.driver = "auto"
    assert not editable._wrong(row)


def test_everything_wrong_is_said_at_once() -> None:
    row = Router.objects.get(name="a")
    bad = {"platform": "PDP", "ios": "x", "roles": [], "management_port": 0, "host_key": "ssh-rsa nonsense!"}
    with pytest.raises(InvalidFields) as raised:
        inventory.edit(actor=noc(), row=row, values=bad, reason="x")
    assert {error.field for error in raised.value.errors} >= {"platform", "ios", "roles", "host_key"}
    interface = Interface.objects.get(router__name="a", name="GigabitEthernet1/0")
    with pytest.raises(InvalidFields) as raised:
        inventory.edit(
            actor=noc(), row=interface, values={"usable_bps": 2 * 10**9, "bw_bps": 1001}, reason="x"
        )
    assert {error.field for error in raised.value.errors} == {"usable_bps", "bw_bps"}


def test_a_case_that_would_break_a_promise_is_refused_and_nothing_stays() -> None:
    decisions.admit(actor=noc(), request=ask("a", "d", MBIT), reason="it fits")
    link = AccessLink.objects.get(nren__name="Na")
    with pytest.raises(ReservationsStranded, match=r"PIP-\d"):
        inventory.edit(actor=noc(), row=link, values={"case": "non-participant"}, reason="x")
    link.refresh_from_db()
    assert link.case == "trusted"


def test_capacity_that_is_less_names_who_fits_no_more() -> None:
    decisions.admit(actor=noc(), request=ask("a", "d", 4 * MBIT), reason="it fits")
    row = Interface.objects.get(router__name="a", name="POS2/0")
    values = {"line_rate_bps": 10_000_000, "bw_bps": 10_000_000, "usable_bps": 10_000_000}
    shown = inventory.edit(actor=noc(), row=row, values=values, reason="x", dry_run=True)
    assert shown.renewal is not None
    assert {over.link for over in shown.renewal.over_by_this} == {core(0)}
    assert not shown.renewal.over_already


def test_prefixes_of_an_nren_stay_while_a_request_is_from_them() -> None:
    ask("a", "d", MBIT)
    nren = Nren.objects.get(name="Na")
    with pytest.raises(InvalidFields, match=r"PIP-\d"):
        inventory.edit(actor=noc(), row=nren, values={"prefixes": ["2001:db8:9900::/40"]}, reason="x")
    wider = ["2001:db8:100::/40", "198.51.100.0/24"]
    inventory.edit(actor=noc(), row=nren, values={"prefixes": wider}, reason="IPv4, too")
    assert spelled(values_of(nren))["prefixes"] == "198.51.100.0/24, 2001:db8:100::/40"
    with pytest.raises(Conflict, match="overlaps"):
        inventory.edit(actor=noc(), row=nren, values={"prefixes": [*wider, "2001:db8:200::/48"]}, reason="x")
    with pytest.raises(InvalidFields, match="is no network"):
        inventory.edit(actor=noc(), row=nren, values={"prefixes": ["fe80"], "country": "Europe"}, reason="x")


def test_a_name_that_links_carry_stays() -> None:
    with pytest.raises(InvalidFields, match="links carry the name"):
        inventory.edit(actor=noc(), row=Nren.objects.get(name="Na"), values={"name": "Nova"}, reason="x")


def test_who_may_not_and_what_is_not_there() -> None:
    row = Router.objects.get(name="a")
    with pytest.raises(NotPermitted):
        inventory.edit(actor=person("jane", nrens=("Na",)), row=row, values={"driver": "napalm"}, reason="x")
    with pytest.raises(InvalidInput, match="not to be edited"):
        inventory.edit(actor=noc(), row=row, values={"serial": "1"}, reason="x")
    with pytest.raises(InvalidInput, match="say why"):
        inventory.edit(actor=noc(), row=row, values={"driver": "napalm"}, reason=" ")


def test_what_is_the_same_writes_nothing() -> None:
    row = Router.objects.get(name="a")
    events = AuditEvent.objects.count()
    done = inventory.edit(actor=noc(), row=row, values=values_of(row), reason="x")
    assert (done.changes, done.renewal, done.routers) == ((), None, ())
    assert AuditEvent.objects.count() == events


def test_an_engine_is_a_fact_of_its_own() -> None:
    card = LineCard.objects.create(router=Router.objects.get(name="a"), slot=2, engine="3")
    done = inventory.edit(actor=noc(), row=card, values={"engine": "4+"}, reason="swapped")
    assert done.routers == ("a",)
    with pytest.raises(InvalidFields, match="forwarding engine"):
        inventory.edit(actor=noc(), row=card, values={"engine": "five"}, reason="x")


def test_another_address_gives_up_the_sign_in_and_nothing_else_does() -> None:
    row = Router.objects.get(name="a")
    credentials.store(actor=noc(), router=row, username="noc", password="secret", enable="")
    inventory.edit(actor=noc(), row=row, values={"driver": "napalm"}, reason="faster")
    assert Credential.objects.filter(router=row).exists()
    inventory.edit(
        actor=noc(), row=row, values={"management_host": "192.0.2.66"}, reason="moved", dry_run=True
    )
    assert Credential.objects.filter(router=row).exists(), "it was only shown"
    inventory.edit(actor=noc(), row=row, values={"management_host": "192.0.2.66"}, reason="moved")
    assert not Credential.objects.filter(router=row).exists(), "it would go to whatever answers there"
    event = AuditEvent.objects.filter(action="router.edit").latest("sequence")
    assert event.after == {"management_host": "192.0.2.66", "sign_in": "given up"}
