"""Another scheme that charges a class elsewhere: every accepted reservation is admitted anew under its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

import inventory
from inventory.models import Domain, Nren
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, AuditEvent, LedgerEntry, PremiumRequest, SyncState
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.units import instant_text
from provisioning.selectors import schemes
from provisioning.services import audit, decisions, intents, requests, verifying
from provisioning.services.inventory import import_network
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.requests.test_old_readings import bare

pytestmark = pytest.mark.django_db
IRS = Path(inventory.__file__).parent / "networks" / "irs.yaml"
LAAS, LYON, LIP6 = "LAAS@toulouse:FastEthernet2/0", "LYON1@lyon:FastEthernet2/0", "LIP6@paris:FastEthernet2/0"
SHARED = "lyon:Serial1/1--paris:Serial1/0"
AT_THE_EDGE, ON_THE_WAY = "irs", "irs-path"
SOURCES = {LAAS: "2001:db8:d010:1::/64", LYON: "2001:db8:d020:1::/64"}
_SHIPPED = (schemes.DIRECTORY / "irs.yaml").read_text(encoding="utf-8")
# The same scheme with AS charged on every link of its path, at the edge's share.
_PATH = (
    ("name: irs\n", f"name: {ON_THE_WAY}\n"),
    ("    admission: edge\n", "    admission: path\n"),
    (
        '      source: "@IRS section 4.3.1.1: AS of an edge router 40 Kbytes/s"\n',
        '      source: "@IRS section 4.3.1.1: AS of an edge router 40 Kbytes/s"\n'
        "    core:\n      payload: {bytes_per_second: 40000, datagram_bytes: 1024, header_bytes: 48}\n"
        "      choice: as much as one edge\n",
    ),
)
Switch = Callable[..., list[str]]


@pytest.fixture
def switch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Switch]:
    """Import the network of @IRS under a scheme; the lines of the report."""
    text = _SHIPPED
    for old, new in _PATH:
        assert old in text, old
        text = text.replace(old, new)
    (tmp_path / f"{AT_THE_EDGE}.yaml").write_text(_SHIPPED, encoding="utf-8")
    (tmp_path / f"{ON_THE_WAY}.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(schemes, "DIRECTORY", tmp_path)
    schemes._loaded.cache_clear()
    schemes._chosen.cache_clear()
    network = read_network(IRS)

    def to(scheme: str, dry_run: bool = False) -> list[str]:
        chosen = replace(network, domain=replace(network.domain, scheme=scheme))
        return list(import_network(actor=SYSTEM, network=chosen, dry_run=dry_run).lines())

    yield to
    schemes._loaded.cache_clear()
    schemes._chosen.cache_clear()


def assured(link: str, label: int, bps: int, start: datetime, end: datetime) -> PremiumRequest:
    nren = link.partition("@")[0]
    asking = person(nren.lower(), nrens=(nren,))
    data = replace(
        ASKED,
        source_link=link,
        destination_link=LIP6,
        service_class="assured",
        rate=bps,
        source_prefixes=(SOURCES[link],),
        destination_prefixes=("2001:db8:d030:1::/64",),
        flow_label=label,
        start=start,
        end=end,
    )
    return requests.submit(actor=asking, data=data)[0]


def granted(*asked: object) -> PremiumRequest:
    request = assured(*asked)  # type: ignore[arg-type]
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    return request


def charges(request: PremiumRequest) -> set[tuple[str, str, int]]:
    rows = LedgerEntry.objects.filter(released_at=None, reservation__request=request)
    return set(rows.values_list("link", "direction", "rate_bps"))


def test_what_breaks_is_said_with_link_and_instants_and_counts_from_then_on(switch: Switch) -> None:
    switch(AT_THE_EDGE)
    first = granted(LAAS, 74565, 300_000, hours(24), hours(72))
    second = granted(LYON, 74566, 200_000, hours(48), hours(96))
    apart = granted(LYON, 74567, 100_000, hours(100), hours(101))
    assert charges(first) == {(LAAS, "in", 300_000)}
    before = LedgerEntry.objects.count()

    breaks = (
        f"{second.reference} WOULD BREAK under {ON_THE_WAY}: {SHARED} a-z, {instant_text(second.start)} to "
        f"{instant_text(first.end)}: 200 kbit/s asked, 300 kbit/s committed, the share is 335 kbit/s"
    )
    said = switch(ON_THE_WAY, dry_run=True)
    assert [line for line in said if "WOULD BREAK" in line and breaks in line], said
    broken = [line.split("WOULD BREAK under ")[1].split(", ")[0] for line in said if "WOULD BREAK" in line]
    assert broken == [f"{ON_THE_WAY}: {SHARED} a-z", f"{ON_THE_WAY}: {LIP6} out"]
    assert not [line for line in said if "WOULD BREAK" in line and second.reference not in line]
    assert (LedgerEntry.objects.count(), Domain.objects.get().scheme) == (before, AT_THE_EDGE)

    said = switch(ON_THE_WAY)
    assert [line for line in said if breaks in line]
    assert [
        line
        for line in said
        if f"NO LONGER FITS: {SHARED} a-z: {first.reference}, {second.reference}" in line
    ]
    whole = {(LAAS, "in"), ("toulouse:Serial1/0--lyon:Serial1/0", "a-z"), (SHARED, "a-z"), (LIP6, "out")}
    assert charges(first) == {(link, way, 300_000) for link, way in whole}
    assert charges(apart) == {(LYON, "in", 100_000), (SHARED, "a-z", 100_000), (LIP6, "out", 100_000)}
    windows = LedgerEntry.objects.filter(reservation__request=second).values_list("start", "end")
    assert set(windows) == {(second.start, second.end)}
    event = AuditEvent.objects.get(action="reservation.recharge", object_id=str(first.pk))
    assert set(event.nren_ids) == set(
        Nren.objects.filter(name__in=("LAAS", "LIP6")).values_list("pk", flat=True)
    )
    assert audit.verify_chain().faults == ()
    # What is charged now is what the next request is judged beside.
    late = assured(LYON, 74568, 100_000, hours(60), hours(61))
    verdict = decisions.evidence(request=late)
    assert isinstance(verdict, Refused)
    assert {reason.link for reason in verdict.reasons} == {SHARED, LIP6}


def test_back_at_the_edge_the_rest_is_free_again_and_nothing_is_charged_twice(switch: Switch) -> None:
    switch(AT_THE_EDGE)
    request = granted(LAAS, 74565, 300_000, hours(24), hours(72))
    for _ in range(2):
        said = switch(ON_THE_WAY)
        assert not [line for line in said if "WOULD BREAK" in line]
        assert len(charges(request)) == 4
        switch(ON_THE_WAY)
        assert len(charges(request)) == 4
        switch(AT_THE_EDGE)
        assert charges(request) == {(LAAS, "in", 300_000)}
    assert AuditEvent.objects.filter(action="reservation.recharge").count() == 4


def test_a_hold_is_charged_anew_too(switch: Switch) -> None:
    switch(AT_THE_EDGE)
    request = assured(LAAS, 74565, 300_000, hours(24), hours(72))
    decisions.hold(actor=noc(), request=request, until=hours(2), reason="they talk")
    switch(ON_THE_WAY)
    held = LedgerEntry.objects.filter(released_at=None, hold=request)
    assert held.filter(link=SHARED, direction="a-z", rate_bps=300_000).count() == 1
    assert held.count() == 4


def test_a_promise_whose_class_is_gone_keeps_no_other_router_from_being_judged(switch: Switch) -> None:
    """The file of a scheme of one's own was edited: the router concerned cannot be worked out, the others go on."""
    switch(AT_THE_EDGE)
    request = granted(LAAS, 74565, 300_000, hours(24), hours(72))
    PremiumRequest.objects.filter(pk=request.pk).update(service_class="gone", start=hours(-1))
    wanted = intents.wanted(puts_on=[request.pk])
    assert wanted.unbuildable.keys() == {"toulouse"}
    row = verifying.record(router=wanted.routers["lyon"], reading=bare(wanted, "lyon"), wanted=wanted)
    assert (row.state, row.detail["at_risk"]) == (SyncState.DIFFERS, [])
