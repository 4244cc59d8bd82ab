"""Whoever changed a part of what was kept of a decision, and which, is found."""

from __future__ import annotations

import json
import zlib
from datetime import timedelta
from typing import Any

import pytest

from provisioning.models import (
    DecisionRecord,
    LedgerEntry,
    PremiumRequest,
    RecordedText,
    Reservation,
    TopologyVersion,
)
from provisioning.services import audit, decisions, records
from provisioning.services.records.packing import text_of
from tests.services.records.deciding import again, decided, edit, faults, recheck
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import MBIT, ask, core

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("file"), pytest.mark.once]


def _rate_in_a_charge(request: PremiumRequest) -> None:
    LedgerEntry.objects.filter(request=request, link=core(0)).update(rate_bps=MBIT)


def _no_charge(request: PremiumRequest) -> None:
    LedgerEntry.objects.filter(request=request, link=core(0)).delete()


def _window_of_a_charge(request: PremiumRequest) -> None:
    LedgerEntry.objects.filter(request=request, link=core(0)).update(end=request.start + timedelta(minutes=1))


def _grant(request: PremiumRequest) -> None:
    Reservation.objects.filter(request=request).update(granted_bps=1)


def _ask_for_more(request: PremiumRequest) -> None:
    PremiumRequest.objects.filter(pk=request.pk).update(rate_bps=3 * MBIT)


def _smaller_packets(request: PremiumRequest) -> None:
    PremiumRequest.objects.filter(pk=request.pk).update(min_packet_bytes=40)


def _shown_evidence(request: PremiumRequest) -> None:
    request.refresh_from_db()
    request.evidence["evidence"][0]["share_bps"] += 1
    PremiumRequest.objects.filter(pk=request.pk).update(evidence=request.evidence)


def _level(request: PremiumRequest) -> None:
    def change(said: dict[str, Any]) -> None:
        said["basis"]["levels"] = []

    edit(DecisionRecord.objects.get(request=request), change)


def _verdict(request: PremiumRequest) -> None:
    def change(said: dict[str, Any]) -> None:
        said["verdict"][0]["charges"][0]["rate_bps"] += 1

    edit(DecisionRecord.objects.get(request=request), change)


def _signature(request: PremiumRequest) -> None:
    other = DecisionRecord.objects.exclude(request=request).first()
    assert other is not None
    DecisionRecord.objects.filter(request=request).update(signature=other.signature)


def _other_key(request: PremiumRequest) -> None:
    DecisionRecord.objects.filter(request=request).update(public_key="A" * 43 + "=")


def _version_digest(request: PremiumRequest) -> None:
    TopologyVersion.objects.update(digest="0" * 64)


def _version_gone(request: PremiumRequest) -> None:
    TopologyVersion.objects.all().delete()


def _network_text(request: PremiumRequest) -> None:
    row = RecordedText.objects.get(kind="network")
    text = zlib.decompress(bytes(row.content)).decode().replace("20000000", "90000000")
    RecordedText.objects.filter(pk=row.pk).update(content=zlib.compress(text.encode()))


def _scheme_text(request: PremiumRequest) -> None:
    row = RecordedText.objects.get(kind="scheme")
    text = zlib.decompress(bytes(row.content)).decode() + "\n# harmless\n"
    RecordedText.objects.filter(pk=row.pk).update(content=zlib.compress(text.encode()))


def _garbage(request: PremiumRequest) -> None:
    DecisionRecord.objects.filter(request=request).update(content=b"nothing")


def _moment(request: PremiumRequest) -> None:
    DecisionRecord.objects.filter(request=request).update(at=hours(-3))


TAMPERING = [
    (_rate_in_a_charge, "1000000 bit/s are charged, 2000000 were admitted"),
    (_no_charge, "is not charged, 2000000 bit/s were admitted"),
    (_window_of_a_charge, "another window"),
    (_grant, "its reservation is of 1 bit/s, 2000000 were admitted"),
    (_ask_for_more, "rate_bps is 3000000, and 2000000 was decided on"),
    (_smaller_packets, "min_packet_bytes is 40, and None was decided on"),
    (_shown_evidence, "the evidence that stands with it is not the one that was recorded"),
    (_level, "signature: it is not of this text"),
    (_verdict, "signature: it is not of this text"),
    (_verdict, "charges would be other than recorded"),
    (_verdict, "the audit trail binds another record"),
    (_signature, "signature: it is not of this text"),
    (_other_key, "neither AUDIT_SIGNING_KEY's"),
    (_version_digest, "its row says another network"),
    (_version_gone, "no such version of the topology any more"),
    (_network_text, "network: its text cannot be used: text: it was edited"),
    (_scheme_text, "scheme: its text cannot be used: text: it was edited"),
    (_garbage, "it cannot be unpacked"),
    (_moment, "it was decided at"),
]


@pytest.mark.parametrize(
    ("tamper", "said"), TAMPERING, ids=[f"{each[0].__name__}-{n}" for n, each in enumerate(TAMPERING)]
)
def test_whatever_is_tampered_with_is_found(tamper: Any, said: str) -> None:
    decided(MBIT)
    request = decided()
    assert faults(request) == []
    tamper(request)
    assert any(said in each for each in faults(request)), faults(request)
    code, told = recheck(request.reference)
    assert code == 1
    assert "IT DOES NOT HOLD" in told
    assert recheck("--all")[0] == 1


def test_the_trail_binds_the_record_of_a_hold_and_of_what_a_later_decision_followed(settings: Any) -> None:
    """Who holds the key writes another record, signed: the trail names the one that was kept."""
    held, tight = ask("a", "d", 3 * MBIT), ask("a", "d", 3 * MBIT)
    decisions.hold(actor=noc(), request=held, until=hours(5), reason="talks")
    decisions.admit(actor=noc(), request=tight, reason="try")
    assert [faults(held), faults(tight)] == [[], []]

    def other(said: dict[str, Any]) -> None:
        said["of"] = "somebody else"

    for record in DecisionRecord.objects.all():
        edit(record, other)
        _sign_again(record)
    for request in (held, tight):
        assert any("the audit trail binds another record" in each for each in faults(request)), request
    decisions.admit(actor=noc(), request=held, reason="now")
    first = next(each for each in records.recheck_all() if each.deed == "held")
    assert any("binds another record" in str(each) for each in first.of("fault")), (
        "it was followed by another"
    )


def _sign_again(record: DecisionRecord) -> None:
    record.refresh_from_db()
    text = zlib.decompress(bytes(record.content))
    signed = audit.signed(text)
    assert signed is not None
    DecisionRecord.objects.filter(pk=record.pk).update(
        signature=signed.signature, public_key=signed.public_key
    )


def test_a_verdict_that_does_not_follow_is_found_even_when_it_is_signed(settings: Any) -> None:
    """Somebody with the key: what counted is made to be more than fits."""
    request = decided()

    def change(said: dict[str, Any]) -> None:
        step = {**said["basis"]["levels"][0]} if said["basis"]["levels"] else None
        assert step is None
        charge = said["verdict"][0]["charges"][1]
        said["basis"]["levels"] = [
            {key: charge[key] for key in ("link", "direction", "pool")}
            | {"steps": [[said["basis"]["since"], None, 3 * MBIT]]}
        ]

    record = DecisionRecord.objects.get(request=request)
    edit(record, change)
    record.refresh_from_db()
    text = text_of(json.loads(zlib.decompress(bytes(record.content))))
    made = audit.signed(text.encode())
    assert made is not None
    DecisionRecord.objects.filter(pk=record.pk).update(signature=made.signature)
    assert any("admitted was recorded" in each and "refused" in each for each in faults(request))


def test_without_a_key_it_says_that_nothing_was_signed(settings: Any) -> None:
    settings.AUDIT_SIGNING_KEY = ""
    request = decided()
    found = again(request)
    assert found.status == 3
    assert "was not signed" in str(found.of("missing")[0])
    assert recheck(request.reference)[0] == 3


def test_a_former_key_still_counts_where_it_is_named(settings: Any) -> None:
    request = decided()
    public = DecisionRecord.objects.get(request=request).public_key
    settings.AUDIT_SIGNING_KEY = "MTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMTE="
    assert again(request).status == 1
    settings.AUDIT_FORMER_KEYS = [public]
    assert again(request).status == 0
