"""A decision is derived again from what was kept of it; whoever changed a part of it, and which, is found."""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inventory.models import CoreLink, Domain
from provisioning.models import (
    SYSTEM,
    AuditEvent,
    DecisionRecord,
    LedgerEntry,
    PremiumRequest,
    RecordedText,
    Reservation,
    Series,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import schemes
from provisioning.services import audit, decisions, modifications, records, retention, series, topology
from provisioning.services.records import Recheck
from provisioning.services.records.packing import digest_of, text_of
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, access, ask, core, network, put

pytestmark = pytest.mark.django_db
KEY = "MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="


@pytest.fixture(autouse=True)
def file(tmp_path: Path, settings: Any) -> Path:
    """The diamond is imported, and there is a key."""
    settings.AUDIT_SIGNING_KEY = KEY
    put(network(tmp_path / "network.yaml", DIAMOND))
    return tmp_path / "network.yaml"


def decided(rate: int = 2 * MBIT, **changes: Any) -> PremiumRequest:
    request = ask("a", "d", rate, **changes)
    decisions.admit(actor=noc(), request=request, reason="asked")
    return request


def again(request: PremiumRequest) -> Recheck:
    return records.recheck(PremiumRequest.objects.select_related("nren__domain").get(pk=request.pk))


def faults(request: PremiumRequest) -> list[str]:
    return [str(each) for each in again(request).of("fault")]


def recheck(*args: str) -> tuple[int, str]:
    out = io.StringIO()
    try:
        call_command("recheck", *args, stdout=out)
    except SystemExit as ended:
        return int(ended.code or 0), out.getvalue()
    return 0, out.getvalue()


def edit(record: DecisionRecord, change: Any) -> None:
    """Change what a record says as somebody would who can write the table, its digest too."""
    said = json.loads(zlib.decompress(bytes(record.content)))
    change(said)
    text = json.dumps(said, sort_keys=True, separators=(",", ":"))
    DecisionRecord.objects.filter(pk=record.pk).update(
        content=zlib.compress(text.encode()), digest=digest_of(text)
    )


def test_an_admission_a_refusal_and_a_hold_follow_again() -> None:
    first = decided()
    assert again(first).status == 0
    assert again(first).verdict == "admitted"
    tight = ask("a", "d", 3 * MBIT)
    assert isinstance(decisions.admit(actor=noc(), request=tight, reason="try"), Refused)
    assert again(tight).deed == "does-not-fit"
    assert (again(tight).status, again(tight).verdict) == (0, "refused")
    decisions.refuse(actor=noc(), request=tight, reason="no room")
    assert (again(tight).status, again(tight).deed) == (0, "refused")
    held = ask("a", "d", MBIT)
    decisions.hold(actor=noc(), request=held, until=hours(5), reason="talks")
    assert (again(held).status, again(held).deed) == (0, "held")
    assert DecisionRecord.objects.count() == 4
    code, said = recheck("--all")
    assert code == 0
    assert "4 decisions: 4 follow, 0 do not hold" in said


def test_both_ways_are_one_decision() -> None:
    first = ask("a", "d", MBIT, direction="both")
    decisions.admit(actor=noc(), request=first, reason="fits")
    first.refresh_from_db()
    assert first.twin_id is not None
    found = again(first)
    assert (found.status, len(found.references)) == (0, 2)
    assert again(PremiumRequest.objects.get(pk=first.twin_id)).references == found.references
    LedgerEntry.objects.filter(request=first.twin_id).update(rate_bps=MBIT // 2)
    assert faults(first)


def test_it_is_derived_offline_and_what_changed_since_is_no_fault(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = decided()
    decided(MBIT)
    topology.declare(actor=SYSTEM, name=core(0), deed="down", reason="cut")
    found = again(first)
    assert found.status == 0, found.findings
    said = [str(each) for each in found.of("changed")]
    assert any("version" in each for each in said)
    assert any("its path was" in each for each in said)
    # Nothing of today is asked: without links, ledger and scheme it follows all the same.
    record = DecisionRecord.objects.get(request=first)
    monkeypatch.setattr(schemes, "load_scheme", None)
    monkeypatch.setattr(topology.versions, "load_network", None)
    CoreLink.objects.all().delete()
    offline = list(records.recheck_all())
    assert [each.verdict for each in offline] == ["admitted", "admitted"]
    assert all(each.status == 0 for each in offline), offline
    assert record.network_id == TopologyVersion.objects.get(number=1).text_id


def test_another_scheme_and_another_share_since_are_named(file: Path) -> None:
    first = decided()
    text = file.read_text().replace("capacity_bps: 20000000", "capacity_bps: 15000000")
    file.write_text(text)
    put(file)
    Domain.objects.update(policer="grants")
    said = " | ".join(str(each) for each in again(first).of("changed"))
    assert "the share was 4 Mbit/s, and is 3 Mbit/s" in said
    assert "the domain's choices are others" in said
    decided(MBIT // 2)
    assert "others held up to 0 bit/s then, and hold 500 kbit/s now" in " | ".join(
        str(each) for each in again(first).of("changed")
    )


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


def test_all_of_them_with_what_changed_since_and_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    first = decided()
    PremiumRequest.objects.filter(pk=ask("a", "d", MBIT).pk).update(decided_at=hours(-1))
    topology.declare(actor=SYSTEM, name=core(0), deed="down", reason="cut")
    assert records.how_many_to_recheck() == 2
    code, said = recheck("--all", "--since")
    assert code == 3
    assert f"{first.reference} admitted" in said and "SINCE version" in said and "MISSING record" in said
    assert "SINCE" not in recheck("--all")[1]

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    with pytest.raises(SystemExit):
        call_command("recheck", "--all", stdout=io.StringIO(), stderr=terminal)
    assert "1 of 2" in terminal.getvalue()
    with pytest.raises(CommandError):
        recheck(first.reference, "--since")


def test_an_occurrence_of_a_series_and_what_was_decided_before_the_network_changed_follow(file: Path) -> None:
    """Held, then admitted as one; then an import, a capacity over time and other choices of the scheme: each still follows."""
    asked = repeated()
    series.hold(actor=noc(), series=asked, until=hours(9), reason="talks")
    single = decided(MBIT)
    change = LinkCapacity(core(0), 15 * MBIT, TimeWindow(hours(200), hours(300)))
    topology.change_capacity(actor=SYSTEM, domain=Domain.objects.get(), planned=change, reason="work")
    series.admit(actor=noc(), series=asked, reason="fits")
    wanted = modifications.Modify(rate=MBIT // 2)
    proposal = modifications.modify(
        actor=person("at-a", nrens=("Na",)), request=single, wanted=wanted, reason="less"
    )
    modifications.admit(actor=noc(), modification=proposal, reason="less fits")
    put(network(file, (("a", "b", 100), *DIAMOND[1:])))
    Domain.objects.update(policer="grants")
    after = decided(MBIT)
    found = list(records.recheck_all(since=True))
    assert {each.deed for each in found} >= {"held", "admitted"}
    assert [str(each) for one in found for each in one.of("fault")] == []
    assert all(each.status == 0 for each in found)
    assert "modified" in {each.deed for each in found}
    assert len([each for each in found if each.deed == "held"]) == 3
    record = DecisionRecord.objects.filter(request=after).get()
    edit(record, lambda said: said["basis"].update(levels=[]))
    one = DecisionRecord.objects.filter(request__series=asked, deed="held").first()
    assert one is not None
    edit(one, lambda said: said["verdict"][0]["charges"][0].update(rate_bps=7))
    bad = [each for each in records.recheck_all() if each.status == 1]
    assert {name for each in bad for name in each.references} == {after.reference, one.request.reference}


def repeated() -> Series:
    """Three hours, a week apart."""
    asking = person("at-a", nrens=("Na",))
    first = replace(
        ASKED,
        source_link=access("a"),
        destination_link=access("d"),
        rate=MBIT // 2,
        source_prefixes=("2001:db8:100::/48",),
        destination_prefixes=("2001:db8:400::/48",),
        start=hours(24),
        end=hours(25),
    )
    return series.submit(
        actor=asking,
        data=series.SubmitSeries(
            asked=first, rrule="FREQ=WEEKLY;COUNT=3", time_zone="Europe/Athens", left_out=(), only_whole=True
        ),
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


def test_what_there_is_no_record_of_is_said_and_bad_input_is_exit_2() -> None:
    request = decided()
    DecisionRecord.objects.all().delete()
    assert recheck(request.reference)[0] == 3
    assert "no record was kept" in recheck(request.reference)[1]
    assert "1 decisions: 0 follow, 0 do not hold, of 1 it cannot be said" in recheck("--all")[1]
    with pytest.raises(CommandError) as none:
        recheck("PIP-999999")
    assert none.value.returncode == 2
    with pytest.raises(CommandError) as both:
        recheck("PIP-1", "--all")
    assert both.value.returncode == 2


def test_each_line_of_json_is_one_decision() -> None:
    decided()
    decided(MBIT)
    lines = [json.loads(each) for each in recheck("--all", "--json")[1].splitlines()]
    assert [each["status"] for each in lines] == ["holds", "holds"]
    assert lines[0]["verdict"] == "admitted"


def test_a_modification_is_a_decision_of_its_own() -> None:
    """Decided on the difference: what it held before is part of what the decision rested on."""
    decided(MBIT)
    request = decided()
    wanted = modifications.Modify(rate=MBIT)
    proposal = modifications.modify(
        actor=person("at-a", nrens=("Na",)), request=request, wanted=wanted, reason="less"
    )
    assert isinstance(modifications.admit(actor=noc(), modification=proposal, reason="less fits"), Admitted)
    found = again(request)
    assert (found.status, found.deed, found.verdict) == (0, "modified", "admitted"), found
    record = DecisionRecord.objects.latest("pk")
    assert json.loads(zlib.decompress(bytes(record.content)))["basis"]["held"]
    assert all(each.status == 0 for each in records.recheck_all())
    _level_of(record)
    assert any("signature" in each for each in faults(request))


def _level_of(record: DecisionRecord) -> None:
    def change(said: dict[str, Any]) -> None:
        said["basis"]["held"] = []

    edit(record, change)


def test_records_stay_small_however_much_is_in_the_book() -> None:
    """6,000 charges of others on the very links, and as many buckets: the record of a decision is a few kilobytes."""
    first = decided(MBIT // 2, start=hours(1), end=hours(2000))
    small = len(DecisionRecord.objects.get(request=first).content)
    like = LedgerEntry.objects.filter(request=first)
    rows = [
        LedgerEntry(
            reservation_id=row.reservation_id,
            request_id=row.request_id,
            link=row.link,
            direction=row.direction,
            pool=row.pool,
            rate_bps=8000 + n,
            start=hours(n),
            end=hours(n + 1.5),
            exempt="moved",  # nobody asks the witness, which would look at each beside all others
        )
        for n in range(1500)
        for row in like
    ]
    LedgerEntry.objects.bulk_create(rows, batch_size=1000)
    second = decided(MBIT, start=hours(1), end=hours(1500))
    record = DecisionRecord.objects.get(request=second)
    assert again(second).verdict == "admitted"
    assert again(second).status == 0
    assert len(record.content) < small + 4000, (small, len(record.content))


def test_a_record_leaves_before_the_texts_it_needs_and_recheck_says_that_it_is_gone(settings: Any) -> None:
    """Nothing of what is live goes; what is over goes with its digest in the trail, and its network only after it."""
    settings.KEEP_RECORDS_DAYS = 10
    live, over = decided(MBIT), ask("a", "d", 5 * MBIT)
    decisions.refuse(actor=noc(), request=over, reason="too much")
    topology.declare(actor=SYSTEM, name=core(0), deed="down", reason="cut")
    long_ago = hours(-24 * 30)
    DecisionRecord.objects.update(at=long_ago)
    RecordedText.objects.update(created_at=long_ago)
    PremiumRequest.objects.filter(pk=over.pk).update(state_changed_at=long_ago)
    digest = DecisionRecord.objects.get(request=over).digest
    first, second = (TopologyVersion.objects.get(number=number).text for number in (1, 2))
    assert first is not None and second is not None
    retention.prune()
    assert [row.request_id for row in DecisionRecord.objects.all()] == [live.pk]
    assert "older than records are kept" in str(again(over).of("missing")[0])
    gone = AuditEvent.objects.get(action="retention.prune", after__kind="records of decisions")
    assert gone.after["rows"][0][1] == digest
    first.refresh_from_db()
    assert first.content, "a record refers to it"
    DecisionRecord.objects.all().delete()
    retention.prune()
    first.refresh_from_db()
    second.refresh_from_db()
    assert (bytes(first.content), bool(second.content)) == (b"", True), "the current network never goes"
