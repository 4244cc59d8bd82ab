"""A scheme that refuses what a single failure would take: at the decision, in the offers, and when two meet."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from inventory.models import CoreLink, Nren
from provisioning.models import SYSTEM, PremiumRequest
from provisioning.pipeline.admission import Admitted, Refused, from_json, to_json
from provisioning.selectors.schemes import DIRECTORY
from provisioning.services import decisions, failures, modifications, tokens
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import hours, noc, person
from tests.services.topology.diamond import DIAMOND, MBIT, ask, core, network, put

AB, BD, AC, CD = (core(place) for place in range(4))
TAIL = (*DIAMOND, ("d", "e", 10))


@pytest.fixture
def file(tmp_path: Path, settings: Any) -> Path:
    """The diamond, and e behind d, under 6NET's scheme with another word about single failures."""
    plain = (DIRECTORY / "6net.yaml").read_text(encoding="utf-8")
    safe = plain.replace("name: 6net", "name: safe", 1).replace(
        "unprotected: admit", "unprotected: refuse", 1
    )
    (tmp_path / "schemes").mkdir()
    (tmp_path / "schemes" / "safe.yaml").write_text(safe, encoding="utf-8")
    settings.SCHEMES_DIR = str(tmp_path / "schemes")
    file = network(tmp_path / "network.yaml", TAIL, routers="abcde")
    file.write_text(file.read_text().replace("scheme: 6net", "scheme: safe"), encoding="utf-8")
    put(file)
    return file


def decided(request: PremiumRequest) -> Admitted | Refused:
    return decisions.admit(actor=noc(), request=request, reason="try")


@pytest.mark.django_db
def test_what_one_failure_would_take_is_refused_with_failure_link_time_and_amount(file: Path) -> None:
    before = ask("a", "d", 3 * MBIT, start=hours(1), end=hours(5))
    first = decided(before)
    assert isinstance(first, Admitted)
    assert first.failures is not None
    assert (first.failures.judged, first.failures.exposures) == (5, ())
    asked = ask("a", "c", 3 * MBIT, start=hours(3), end=hours(9))
    refused = decided(asked)
    assert isinstance(refused, Refused)
    assert {reason.code for reason in refused.reasons} == {"unprotected"}
    reason = next(each for each in refused.reasons if each.link == AC)
    assert (reason.interval_start, reason.interval_end) == (asked.start, before.end)
    assert (reason.share_bps, reason.committed_bps, reason.shortfall_bps) == (4 * MBIT, 3 * MBIT, 2 * MBIT)
    assert f"if link {AB} fails, {AC} a-z carries 6 Mbit/s on a share of 4 Mbit/s" in reason.text
    (offer,) = refused.counter_offers
    assert (offer.kind, offer.rate_bps) == ("lower-rate", MBIT)
    taken = decided(ask("a", "c", offer.rate_bps, start=offer.start, end=offer.end))
    assert isinstance(taken, Admitted)
    assert from_json(to_json(refused)) == refused
    assert from_json(to_json(taken)) == taken


@pytest.mark.django_db
def test_an_offer_that_a_failure_would_take_is_not_made(file: Path) -> None:
    """Beside 3 Mbit/s on a-b-d there is room for 1 on a-c by the shares of today for more than that."""
    assert isinstance(decided(ask("a", "d", 3 * MBIT)), Admitted)
    refused = decided(ask("a", "c", 5 * MBIT))
    assert isinstance(refused, Refused)
    assert {reason.code for reason in refused.reasons} == {"share-exceeded"}
    assert [offer for offer in refused.counter_offers if offer.rate_bps > MBIT] == []


@pytest.mark.django_db
def test_who_would_be_cut_off_is_refused_and_nothing_is_offered(file: Path) -> None:
    refused = decided(ask("a", "e", MBIT))
    assert isinstance(refused, Refused)
    assert [reason.code for reason in refused.reasons] == ["unprotected"]
    assert f"if link {core(4, TAIL)} fails there is no path" in refused.reasons[0].text
    assert refused.counter_offers == ()


@pytest.mark.django_db
def test_the_decision_can_be_derived_again(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = ask("a", "d", 3 * MBIT), ask("a", "c", 3 * MBIT)
    assert isinstance(decided(first), Admitted)
    assert isinstance(decided(second), Refused)
    decisions.refuse(actor=noc(), request=second, reason="unprotected")
    for request in (first, second):
        with pytest.raises(SystemExit) as ended:
            call_command("recheck", request.reference)
        told = capsys.readouterr().out
        assert ended.value.code == 3, told  # tests sign nothing; 1 is what does not follow
        assert "MISSING signature" in told
        assert "FAULT" not in told


@pytest.mark.django_db
def test_less_than_was_granted_is_not_refused_for_what_a_failure_takes_anyhow(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link is declared down: what was safe is not any more, and may become less all the same, but not more or longer."""
    request = ask("a", "d", 2 * MBIT, start=hours(2), end=hours(6))
    assert isinstance(decided(request), Admitted)
    call_command("core_link", AC, "--down", reason="planned work")
    asking = person("at-a", nrens=("Na",))

    def modified(**wanted: Any) -> Admitted | Refused:
        proposal = modifications.modify(
            actor=asking, request=request, wanted=modifications.Modify(**wanted), reason="another hall"
        )
        assert proposal is not None
        if proposal.state == "IN_FORCE":
            return modifications.evidence(proposal).verdict  # type: ignore[return-value]
        verdict = modifications.admit(actor=noc(), modification=proposal, reason="try")
        if isinstance(verdict, Refused):
            modifications.refuse(actor=noc(), modification=proposal, reason="unprotected")
        return verdict

    for more in ({"rate": 3 * MBIT}, {"end": hours(7)}):
        refused = modified(**more)
        assert isinstance(refused, Refused)
        assert {reason.code for reason in refused.reasons} == {"unprotected"}
    modified(rate=MBIT)
    request.refresh_from_db()
    assert request.rate_bps == MBIT
    with pytest.raises(SystemExit):
        call_command("recheck", request.reference)
    assert "FAULT" not in capsys.readouterr().out


@pytest.mark.django_db(transaction=True)
def test_two_that_meet_only_after_a_failure_are_not_both_admitted(file: Path) -> None:
    noc("nora")
    for _ in range(4):
        asked = [ask("a", "d", 3 * MBIT), ask("a", "c", 3 * MBIT)]
        verdicts = at_once(
            *(partial(decisions.admit, actor=noc(), request=each, reason="try") for each in asked)
        )
        assert sorted(type(each).__name__ for each in verdicts) == ["Admitted", "Refused"], verdicts
        for each in asked:
            if PremiumRequest.objects.get(pk=each.pk).state == "ADMITTED":
                from provisioning.services import clock
                from provisioning.services.charging import release_reservation

                release_reservation(each.pk, now=clock.now())


@pytest.mark.django_db
def test_the_nren_reads_that_and_when_and_not_where(file: Path) -> None:
    granted = ask("a", "d", MBIT)
    assert isinstance(decided(granted), Admitted)
    refused = ask("a", "e", MBIT)
    page = _signed_in("at-a").get(reverse("web:request", args=[refused.pk])).content.decode()
    assert "A single failure in the backbone would take it" in page
    assert "fails there is no path" not in page
    failures.work_out(domain_id=CoreLink.objects.earliest("pk").domain_id)
    mine = _signed_in("at-a").get(reverse("web:request", args=[granted.pk])).content.decode()
    assert "within every share after any single failure" in mine


@pytest.mark.django_db
def test_the_pages_of_the_noc_say_who_loses_and_which_links_change(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("scheme: safe", "scheme: 6net")
    file.write_text(text, encoding="utf-8")
    put(file)
    coming, there = ask("a", "d", 3 * MBIT), ask("a", "c", 3 * MBIT)
    for each in (coming, there):
        assert isinstance(decided(each), Admitted)
    link = CoreLink.objects.get(name=AB)
    client = _signed_in("nora")
    page = client.get(reverse("web:link-failure", args=[link.pk])).content.decode()
    for said in (coming.reference, there.reference, "came there", AC, "2 Mbit/s", "150 %"):
        assert said in page, said
    assert (
        reverse("web:link-failure", args=[link.pk])
        in client.get(reverse("web:link-core", args=[link.pk])).content.decode()
    )
    assert "Not worked out yet" in client.get(reverse("web:failures")).content.decode()
    failures.work_out(domain_id=link.domain_id)
    listed = client.get(reverse("web:failures")).content.decode()
    assert "2 of 2 requests are unprotected" in listed
    assert reverse("web:link-failure", args=[link.pk]) in listed
    told = client.get(reverse("web:request", args=[coming.pk])).content.decode()
    assert "Unprotected" in told
    assert f"link {AB}" in told
    own = _signed_in("at-a").get(reverse("web:request", args=[coming.pk])).content.decode()
    own = " ".join(own.split())
    assert "a link of its path would carry more than its share" in own
    assert "the worst" not in own
    found = _api("nora", f"/api/v1/core-links/{link.pk}/failure/")
    assert found["unprotected"] == [coming.reference, there.reference]
    assert found["overloads"][0]["excess_bps"] == 2 * MBIT
    whole = _api("nora", "/api/v1/core-links/failures/")
    assert (whole["current"], whole["unprotected"]) == (True, 2)
    theirs = _api("at-a", f"/api/v1/premium-requests/{coming.pk}/")["protection"]
    assert (theirs["protected"], theirs["worst"], theirs["excess_bps"]) == (False, None, None)
    assert theirs["start"] == theirs["at"], "both are on already"
    ours = _api("nora", f"/api/v1/premium-requests/{coming.pk}/")["protection"]
    assert (ours["excess_bps"], ours["no_path"]) == (2 * MBIT, False)


def _user(name: str) -> Any:
    if name == "nora":
        noc("nora")
    else:
        person(name, nrens=("Na",))
    return get_user_model().objects.get(username=name)


def _signed_in(name: str) -> Client:
    client = Client()
    client.force_login(_user(name))
    return client


def _api(name: str, path: str) -> Any:
    own = None if name == "nora" else Nren.objects.get(name="Na")
    text = tokens.issue(actor=SYSTEM, user=_user(name), nren=own, name=path[-60:])[1]
    client = APIClient(HTTP_AUTHORIZATION=f"Bearer {text}")
    answer = client.get(path)
    assert answer.status_code == 200, answer.content
    return answer.json()
