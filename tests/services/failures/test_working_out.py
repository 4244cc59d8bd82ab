"""All single failures as rows: of one version and one state of the book, known to be old when either is another one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from inventory.models import Domain
from provisioning.errors import Conflict
from provisioning.models import FailureEffect, FailureRun, Job, JobKind, PremiumRequest, UnprotectedRequest
from provisioning.pipeline.admission import Admitted
from provisioning.pipeline.failures import Book, Effect
from provisioning.pipeline.topology import Failure
from provisioning.selectors.failures import effect_of, protection_of, standing_of
from provisioning.services import decisions, failures, jobs
from provisioning.services.failures import working_out
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

pytestmark = pytest.mark.django_db
AB, BD, AC, CD = (core(place) for place in range(4))
TAIL = (*DIAMOND, ("d", "e", 10))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The diamond, and e behind d."""
    put(network(tmp_path / "network.yaml", TAIL, routers="abcde"))
    return tmp_path / "network.yaml"


def grant(source: str, goal: str, rate: int, **changes: object) -> PremiumRequest:
    request = ask(source, goal, rate, **changes)
    assert isinstance(decisions.admit(actor=noc(), request=request, reason="fits"), Admitted)
    return request


def work_out() -> FailureRun:
    failures.work_out(domain_id=Domain.objects.get().pk)
    return FailureRun.objects.get()


def after(name: str, kind: Any = "link") -> Effect:
    return effect_of(Domain.objects.get(), Failure(kind, name), now=timezone.now())


def test_who_fits_after_every_failure_is_protected(file: Path) -> None:
    request = grant("a", "d", MBIT)
    run = work_out()
    assert (run.version, run.failures, run.held, run.unprotected) == (1, 5, 1, 0)
    protection = protection_of(request)
    assert protection is not None
    assert (protection.version, protection.unprotected, protection.stale) == (1, None, "")
    assert after(AB).rerouted == (request.reference,)


def test_who_comes_and_who_is_there_are_both_unprotected_with_failure_link_time_and_amount(
    file: Path,
) -> None:
    coming = grant("a", "d", 3 * MBIT, start=hours(1), end=hours(5))
    there = grant("a", "c", 3 * MBIT, start=hours(3), end=hours(9))
    alone = grant("d", "e", MBIT, start=hours(6), end=hours(9))
    effect = after(AB)
    (over,) = effect.overloads
    assert (over.load.link, over.load.direction.value) == (AC, "a-z")
    assert (over.start, over.end) == (there.start, coming.end)
    assert (over.share_bps, over.load_bps, over.excess_bps) == (4 * MBIT, 6 * MBIT, 2 * MBIT)
    assert over.ids == (coming.reference, there.reference)
    assert over.arrived == (coming.reference,)
    run = work_out()
    assert run.unprotected == 3
    rows = {row.request_id: row for row in UnprotectedRequest.objects.all()}
    for request in (coming, there):
        row = rows[request.pk]
        assert (row.start, row.end, row.excess_bps) == (there.start, coming.end, 2 * MBIT)
        assert row.cut_off == 0
    assert rows[coming.pk].failures == 3, "a-b and b-d are on its path; after a-c the other comes over both"
    assert rows[coming.pk].worst == f"link {AB}"
    assert (rows[alone.pk].cut_off, rows[alone.pk].excess_bps) == (1, 0)
    assert rows[alone.pk].worst == f"link {core(4, TAIL)}"
    assert {row.name: row.unprotected for row in FailureEffect.objects.all()} == {
        AB: 2,
        BD: 2,
        AC: 2,
        core(4, TAIL): 1,
    }


def test_every_link_whose_load_changes_is_shown_before_and_after(file: Path) -> None:
    grant("a", "d", 3 * MBIT)
    shifts = {(shift.load.link, shift.load.direction.value): shift for shift in after(AB).shifts}
    assert {key: (shift.before_bps, shift.after_bps) for key, shift in shifts.items()} == {
        (AB, "a-z"): (3 * MBIT, 0),
        (BD, "a-z"): (3 * MBIT, 0),
        (AC, "a-z"): (0, 3 * MBIT),
        (CD, "a-z"): (0, 3 * MBIT),
    }


def test_a_router_that_fails_takes_its_links_along_and_whoever_ends_there_is_not_rerouted(file: Path) -> None:
    through, ends = grant("a", "d", MBIT), grant("a", "b", MBIT)
    effect = after("b", "router")
    assert effect.rerouted == (through.reference,)
    assert effect.ended == (ends.reference,)
    assert effect.unprotected == frozenset()


def test_another_version_or_another_book_makes_it_old(file: Path) -> None:
    domain = Domain.objects.get()
    assert standing_of(domain).stale == "it was not worked out yet"
    request = grant("a", "d", MBIT)
    work_out()
    assert standing_of(domain).current
    more = grant("a", "c", MBIT)
    assert "reservations came" in standing_of(domain).stale
    work_out()
    assert standing_of(domain).current
    decisions_before = standing_of(domain).run
    call_command("core_link", AB, "--down", reason="planned work")
    standing = standing_of(domain)
    assert standing.run == decisions_before
    assert "of version 1 of the topology, and now there is version 2" in standing.stale
    protection = protection_of(request)
    assert protection is not None
    assert protection.stale
    assert work_out().version == 2
    assert standing_of(domain).current
    assert protection_of(more) is not None


def _in_the_middle(monkeypatch: pytest.MonkeyPatch, deed: Callable[[], object]) -> None:
    """Do `deed` once while failures are being worked out."""
    kept, done = Book.effect, []

    def effect(self: Book, failure: Failure, *, shifts: bool = False) -> Effect:
        if not done:
            done.append(True)
            deed()
        return kept(self, failure, shifts=shifts)

    monkeypatch.setattr(Book, "effect", effect)


def test_an_admission_that_meets_it_makes_it_old_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grant("a", "d", 3 * MBIT)
    _in_the_middle(monkeypatch, lambda: grant("a", "c", 3 * MBIT))
    assert work_out().unprotected == 0
    assert "reservations came" in standing_of(Domain.objects.get()).stale
    assert work_out().unprotected == 2


def test_a_version_that_meets_it_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grant("a", "d", MBIT)
    _in_the_middle(monkeypatch, lambda: call_command("core_link", AB, "--down", reason="planned work"))
    assert work_out().version == 1
    assert "now there is version 2" in standing_of(Domain.objects.get()).stale
    assert work_out().version == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_who_work_it_out_the_newer_stays(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker whose lease ran out goes on while another has begun anew, and has finished."""
    grant("a", "d", MBIT)
    domain = Domain.objects.get()
    outcome: list[str] = []
    _in_the_middle(monkeypatch, lambda: outcome.append(failures.work_out(domain_id=domain.pk)))
    with pytest.raises(Exception, match="somebody else worked it out meanwhile"):
        failures.work_out(domain_id=domain.pk)
    assert outcome
    assert FailureRun.objects.get().finished_at is not None


class _Killed(BaseException):
    """What ends a process at once: nothing of ours looks for it."""


@pytest.mark.parametrize("where", ["reckoning", "writing"])
def test_who_is_killed_in_the_middle_leaves_nothing_that_is_shown(
    file: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    domain = Domain.objects.get()
    grant("a", "d", 3 * MBIT)
    before = work_out()
    grant("a", "c", 3 * MBIT)

    def killed(*_args: object, **_words: object) -> None:
        raise _Killed

    with monkeypatch.context() as patched:
        if where == "reckoning":
            _in_the_middle(patched, killed)
        else:
            patched.setattr(working_out, "_finish", killed)
        with pytest.raises(_Killed):
            failures.work_out(domain_id=domain.pk)
    assert FailureRun.objects.count() == 2
    standing = standing_of(domain)
    assert standing.run == before
    assert "reservations came" in standing.stale
    assert work_out().unprotected == 2, "and nothing is left of the two before"
    assert standing_of(domain).current
    assert UnprotectedRequest.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_several_who_begin_at_once_one_at_least_finishes_and_one_run_stays(file: Path) -> None:
    for source, goal in (("a", "d"), ("a", "c")):
        grant(source, goal, 3 * MBIT)
    domain = Domain.objects.get()
    for _ in range(12):
        said = at_once(*[partial(failures.work_out, domain_id=domain.pk)] * 3)
        assert [each for each in said if isinstance(each, str)], said
        assert all(isinstance(each, (str, Conflict)) for each in said), said
        run = FailureRun.objects.get(finished_at__isnull=False)
        assert (run.unprotected, run.unprotected_requests.count()) == (2, 2)
        assert {row.name: row.unprotected for row in run.effects.all()} == {AB: 2, BD: 2, AC: 2}
        assert standing_of(domain).current


def test_the_tick_makes_a_job_where_it_is_due_and_the_job_does_it(file: Path, settings: Any) -> None:
    settings.FAILURES_SECONDS = 60.0
    grant("a", "d", MBIT)

    def made() -> list[Job]:
        working_out._looked = -working_out.LOOK_SECONDS
        return [job for job in jobs.tick() if job.kind == JobKind.FAILURES]

    (job,) = made()
    assert not made(), "one job at a time"
    assert jobs.run(job_id=job.pk, worker="test")
    job.refresh_from_db()
    assert job.outcome == "version 1: 5 single failures, 1 requests, 0 of them unprotected"
    assert not made()
    grant("a", "c", MBIT)
    assert not made(), "not again within a minute for the book alone"
    FailureRun.objects.update(started_at=timezone.now() - timedelta(minutes=2))
    assert len(made()) == 1
    Job.objects.filter(kind=JobKind.FAILURES).delete()
    work_out()
    call_command("core_link", AB, "--down", reason="planned work")
    assert len(made()) == 1, "at once for another version"


def test_the_command_says_it_in_words_and_as_json(file: Path) -> None:
    def said(*words: str) -> str:
        out = StringIO()
        call_command("failures", *words, stdout=out)
        return out.getvalue()

    assert "not worked out yet" in said()
    coming, there = grant("a", "d", 3 * MBIT), grant("a", "c", 3 * MBIT)
    text = said(AB)
    assert f"TOO MUCH: after link {AB} fails, {AC} a-z carries up to 6 Mbit/s on a share of 4 Mbit/s" in text
    assert f"({coming.reference}, {there.reference})" in text
    assert "1 rerouted, 0 without a path, 2 unprotected." in text
    assert "2 unprotected" in said("--work-out")
    found = json.loads(said("--json"))
    assert (found["current"], found["unprotected"]) == (True, 2)
    assert json.loads(said(AB, "--json"))["overloads"][0]["excess_bps"] == 2 * MBIT
    assert json.loads(said("b", "--router", "--json"))["rerouted"] == [coming.reference]
    with pytest.raises(CommandError, match="there is no link 'nowhere'") as refused:
        said("nowhere")
    assert refused.value.returncode == 2
