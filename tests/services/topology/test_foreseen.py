"""What an import comes to is worked out before a lock is taken, and it comes to that."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import pytest
from django.utils import timezone

from inventory.models import Domain, Router
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, ConfigSnapshot, LedgerEntry, PremiumRequest, Reservation
from provisioning.services import decisions
from provisioning.services.inventory import foreseeing, import_network, importing
from provisioning.services.inventory.stranding import ground_of
from provisioning.services.requests import withdraw
from provisioning.services.topology import path_moved, recharging, versions
from tests.services.requests.sixnet import SIX_NET, import_sixnet, noc
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

pytestmark = pytest.mark.django_db
FILES = {
    "as it is": {"cores": DIAMOND},
    "a metric": {"cores": (("a", "b", 100), *DIAMOND[1:])},
    "a link more": {"cores": (*DIAMOND, ("a", "c", 1))},
    "a link that is down": {"cores": DIAMOND, "down": frozenset({0})},
    "a router more": {"cores": (*DIAMOND, ("d", "e", 5)), "routers": "abcde"},
    "a link not mentioned": {"cores": DIAMOND[:3]},
}


@pytest.mark.parametrize("what", FILES)
def test_it_comes_to_what_was_foreseen(tmp_path: Path, what: str) -> None:
    put(network(tmp_path / "before.yaml", DIAMOND))
    file = read_network(network(tmp_path / "after.yaml", **FILES[what]))  # type: ignore[arg-type]
    foreseen = foreseeing.foresee(file)
    assert foreseen is not None
    import_network(actor=SYSTEM, network=file)
    assert ground_of(Domain.objects.get()) == foreseen.after


def test_it_comes_to_what_was_foreseen_of_6net_beside_what_routers_show() -> None:
    import_sixnet()
    uk6 = Router.objects.get(name="uk6")
    ConfigSnapshot.objects.create(router=uk6, text="", digest="2" * 64, bandwidths={"POS1/0": 20_000_000})
    versions.notice_shown(uk6.pk)
    foreseen = foreseeing.foresee(read_network(SIX_NET))
    assert foreseen is not None
    import_network(actor=SYSTEM, network=read_network(SIX_NET))
    after = ground_of(Domain.objects.get())
    assert after == foreseen.after
    assert 20_000_000 in {link.bw_bps for link in after.network.access_links}


def test_nothing_is_derived_while_the_links_are_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(network(tmp_path / "before.yaml", DIAMOND))
    first = ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=first, reason="fits")
    done: list[str] = []
    monkeypatch.setattr(
        importing, "lock_links_of", lambda name: (done.append("locked"), versions.lock_links_of(name))
    )
    prepare = recharging.prepare
    for module in (foreseeing, versions):
        monkeypatch.setattr(module, "prepare", lambda *given: (done.append("derived"), prepare(*given))[1])
    read, moving = recharging.recharges, import_module("provisioning.services.topology.moving")
    monkeypatch.setattr(moving, "recharges", lambda *given: (done.append("read"), read(*given))[1])
    put(network(tmp_path / "after.yaml", (("a", "b", 100), *DIAMOND[1:])))
    assert done == ["derived", "locked"]
    assert LedgerEntry.objects.filter(request=first, moving_since__isnull=False).exists()


def test_who_was_admitted_in_between_is_moved_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(network(tmp_path / "before.yaml", DIAMOND))
    second = ask("a", "d", MBIT)
    foresee = foreseeing.foresee

    def meanwhile(file: object) -> object:
        found = foresee(file)  # type: ignore[arg-type]
        decisions.admit(actor=noc(), request=second, reason="fits")
        return found

    monkeypatch.setattr(importing, "foresee", meanwhile)
    put(network(tmp_path / "after.yaml", (("a", "b", 100), *DIAMOND[1:])))
    assert LedgerEntry.objects.filter(request=second, moving_since__isnull=False).count() == 2


def test_another_version_in_between_has_it_worked_out_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(network(tmp_path / "before.yaml", DIAMOND))
    first = ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=first, reason="fits")
    foresee, times = foreseeing.foresee, []

    def meanwhile(file: object) -> object:
        found = foresee(file)  # type: ignore[arg-type]
        times.append(found)
        if len(times) == 1:
            with monkeypatch.context() as inner:
                inner.setattr(importing, "foresee", foresee)
                put(network(tmp_path / "other.yaml", (("a", "b", 100), *DIAMOND[1:])))
        return found

    monkeypatch.setattr(importing, "foresee", meanwhile)
    put(network(tmp_path / "after.yaml", DIAMOND))
    assert len(times) == 2
    counted = LedgerEntry.objects.filter(request=first, released_at=None, moving_since__isnull=True)
    assert {"a:POS2/0--b:POS2/0", "b:POS2/1--d:POS2/1"} < set(counted.values_list("link", flat=True))


def charges(request: PremiumRequest) -> dict[bool, set[str]]:
    """The core links that a request is charged to: those it leaves (True), those of its path (False)."""
    rows = LedgerEntry.objects.filter(request=request, released_at=None, link__contains="--")
    found = rows.values_list("moving_since", "link")
    return {way: {link for since, link in found if (since is not None) is way} for way in (True, False)}


def the_hold_is_granted(request: PremiumRequest) -> None:
    decisions.admit(actor=noc(), request=request, reason="now")


def the_hold_is_withdrawn(request: PremiumRequest) -> None:
    withdraw(actor=noc(), request=request, reason="not needed")


def its_move_ends(request: PremiumRequest) -> None:
    path_moved(actor=noc(), request=request, reason="seen")


@pytest.mark.parametrize("deed", [the_hold_is_granted, the_hold_is_withdrawn, its_move_ends])
def test_charges_that_changed_in_between_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: Callable[[PremiumRequest], None]
) -> None:
    via_b, via_c = {core(0), core(1)}, {core(2), core(3)}
    put(network(tmp_path / "before.yaml", DIAMOND))
    request, other = ask("a", "d", MBIT), ask("a", "d", MBIT)
    decisions.admit(actor=noc(), request=other, reason="fits")
    if deed is not its_move_ends:
        until = timezone.now() + timedelta(hours=1)
        decisions.hold(actor=noc(), request=request, until=until, reason="wait")
    else:
        decisions.admit(actor=noc(), request=request, reason="fits")
    higher = network(tmp_path / "higher.yaml", (("a", "b", 100), *DIAMOND[1:]))
    if deed is its_move_ends:
        put(higher)
        assert charges(request) == {True: via_b, False: via_c}
    foresee = foreseeing.foresee

    def meanwhile(file: object) -> object:
        found = foresee(file)  # type: ignore[arg-type]
        assert found is not None and request.pk in found.ready.recharges
        deed(PremiumRequest.objects.get(pk=request.pk))
        return found

    monkeypatch.setattr(importing, "foresee", meanwhile)
    if deed is its_move_ends:
        put(network(tmp_path / "again.yaml", DIAMOND))
        assert charges(request) == {True: via_c, False: via_b} == charges(other)
        return
    put(higher)
    assert charges(other) == {True: via_b, False: via_c}
    if deed is the_hold_is_withdrawn:
        assert charges(request) == {True: set(), False: set()}
    else:
        assert charges(request) == charges(other)
        rows = LedgerEntry.objects.filter(request=request, released_at=None)
        assert {row.reservation for row in rows} == {Reservation.objects.get(request=request)}
        path = Reservation.objects.get(request=request).moving_to
        assert {hop["link"] for hop in path or ()} & (via_b | via_c) == via_c
