"""A decision is derived again from what was kept of it, and follows, whatever changed since."""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from inventory.models import CoreLink, Domain
from provisioning.models import (
    SYSTEM,
    DecisionRecord,
    LedgerEntry,
    PremiumRequest,
    Series,
    TopologyVersion,
)
from provisioning.pipeline.admission import Admitted, Refused
from provisioning.pipeline.topology import LinkCapacity
from provisioning.pipeline.units import TimeWindow
from provisioning.selectors import schemes
from provisioning.services import decisions, modifications, records, series, topology
from provisioning.services.records import rechecking
from provisioning.services.records.beside import Beside
from tests.services.records.deciding import again, decided, edit, faults, recheck
from tests.services.requests.sixnet import ASKED, hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, access, ask, core, network, put

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("file")]


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


def test_what_is_done_while_many_are_looked_at_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hold is let go after its request was read, and before its charges are."""
    held = ask("a", "d", MBIT)
    decisions.hold(actor=noc(), request=held, until=hours(5), reason="talks")
    read: list[int] = []

    def beside(rows: list[DecisionRecord]) -> Beside:
        read.append(len(rows))
        if len(read) == 1:
            decisions.unhold(actor=noc(), request=held, reason="no more")
        return Beside(rows)

    monkeypatch.setattr(rechecking, "Beside", beside)
    (found,) = records.recheck_all()
    assert (found.deed, found.status, read) == ("held", 0, [1, 1])


def test_many_are_read_together() -> None:
    """Decisions of all kinds: a few statements more are asked about eight of them than about four."""

    def asked() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert [each for each in records.recheck_all() if each.status] == []
        return len(captured)

    def some() -> None:
        decided(MBIT // 4)
        decisions.hold(actor=noc(), request=ask("a", "d", MBIT // 4), until=hours(5), reason="talks")
        decisions.refuse(actor=noc(), request=ask("a", "d", MBIT // 4), reason="no")
        repeat = ask("a", "d", MBIT // 4, direction="both")
        decisions.admit(actor=noc(), request=repeat, reason="fits")

    some()
    few = asked()
    some()
    assert asked() == few
