"""The pages on which a promise changes: told before, proposed, answered, decided, taken back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from django.test import Client
from django.utils import timezone

from provisioning.models import Modification, PremiumRequest, Quota, Reservation
from provisioning.services import modifications
from provisioning.services.modifications import Modify
from tests.web.test_requests import page
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def running(world: World) -> PremiumRequest:
    asked = world.requests["active"]
    Reservation.objects.filter(request=asked).update(put_on_at=timezone.now())
    return asked


def form_of(asked: PremiumRequest, **changed: str) -> dict[str, str]:
    """What a browser sends of the page as it is shown."""
    return {
        "rate": "1.5 Mbit/s",
        "end": "",
        "source_prefixes": "\r\n".join(asked.source_prefixes),
        "destination_prefixes": "\r\n".join(asked.destination_prefixes),
        "reason": "a larger hall",
        **changed,
    }


def test_the_page_tells_the_range_tries_and_proposes(world: World, as_user: As) -> None:
    asked = running(world)
    url = f"/requests/{asked.pk}/modify/"
    assert "a rate of 8 kbit/s to 4.729 Mbit/s" in page(as_user("jane"), url)
    text = page_text(as_user("jane").post(url, form_of(asked, rate="5M", reason="", **{"try": "1"})))
    assert "It would be refused at this moment" in text
    text = page_text(as_user("jane").post(url, form_of(asked, rate="4M", reason="", **{"try": "1"})))
    assert "It would fit at this moment" in text and "GRNET would be asked to agree" in text
    assert "so does its start, because it has begun" in text and "already. Until" not in text
    text = page_text(as_user("jane").post(url, form_of(asked, rate="1M", reason="", **{"try": "1"})))
    assert "Nobody would be asked again" in text
    assert "nothing would change" in page_text(as_user("jane").post(url, form_of(asked))).lower()
    assert not Modification.objects.exists()
    text = page_text(as_user("jane").post(url, form_of(asked, rate="4M"), follow=True))
    made = Modification.objects.get()
    assert f"{made.reference} is proposed. GRNET is asked to agree" in text
    assert "Change proposed" in text
    assert "another" not in page_text(as_user("jane").get(f"/requests/{asked.pk}/"))
    text = page_text(as_user("jane").post(url, form_of(asked, rate="3M"), follow=True))
    assert made.reference in text and "withdraw it, or wait" in text
    assert "is proposed already. Until it is in force nothing else is proposed" in page(as_user("jane"), url)


def test_it_is_answered_decided_and_shown(world: World, as_user: As) -> None:
    asked = running(world)
    as_user("jane").post(f"/requests/{asked.pk}/modify/", form_of(asked, rate="4M"))
    made = Modification.objects.get()
    url = f"/modifications/{made.pk}/"
    assert f"{url}admit/" not in page(as_user("nora"), f"/requests/{asked.pk}/"), "GRNET has not answered"
    assert f"{url}consent/" in page(as_user("giorgos"), f"/requests/{asked.pk}/")
    as_user("giorgos").post(f"{url}consent/", {"answer": "agree", "reason": ""})
    assert f"{url}admit/" in page(as_user("nora"), f"/requests/{asked.pk}/")
    text = page_text(as_user("nora").post(f"{url}admit/", {"reason": "Room enough"}, follow=True))
    assert "The larger of old and new is charged until the routers were seen with it" in text
    made.refresh_from_db()
    assert made.state == "ADMITTED"
    text = page_text(as_user("jane").post(f"{url}withdraw/", {"reason": "No"}, follow=True))
    assert "is withdrawn. What was granted stays as it is" in text


def test_a_longer_and_a_shorter_window(world: World, as_user: As) -> None:
    asked = running(world)
    url = f"/requests/{asked.pk}/"
    text = page_text(as_user("jane").post(f"{url}extend/", {"end": "", "reason": "longer"}))
    assert "an extension ends later" in text, "it is open-ended already"
    sooner = (timezone.now() + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M")
    text = page_text(
        as_user("jane").post(f"{url}end-early/", {"end": sooner, "reason": "shorter"}, follow=True)
    )
    assert f"{asked.reference} ends" in text and "Ends sooner" in text
    text = page_text(as_user("jane").post(f"{url}end-early/", {"end": sooner, "reason": "shorter"}))
    assert "no sooner than it ends now" in text
    text = page_text(as_user("jane").post(f"{url}extend/", {"end": "", "reason": "longer"}, follow=True))
    assert "is proposed" in text
    made = Modification.objects.earliest("-pk")
    text = page_text(as_user("nora").post(f"/modifications/{made.pk}/refuse/", {"reason": "No"}, follow=True))
    assert "is refused" in text


def test_a_longer_window_ends_later(world: World, as_user: As) -> None:
    asked = running(world)
    end = timezone.now() + timedelta(days=2)
    PremiumRequest.objects.filter(pk=asked.pk).update(end=end)
    for wrong in (end - timedelta(days=1), end):
        sent = {"end": wrong.strftime("%Y-%m-%dT%H:%M"), "reason": "longer"}
        text = page_text(as_user("jane").post(f"/requests/{asked.pk}/extend/", sent))
        assert "End early" in text and "an extension ends later" in text
    asked.refresh_from_db()
    assert asked.end == end and not Modification.objects.exists()


def test_an_undecided_request_is_replaced_on_its_page(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    sent = form_of(asked, rate="1 Mbit/s", start=asked.start.strftime("%Y-%m-%dT%H:%M"))
    text = page_text(as_user("jane").post(f"/requests/{asked.pk}/modify/", sent, follow=True))
    assert "asks for this from now on" in text
    asked.refresh_from_db()
    assert asked.rate_bps == 1_000_000 and not Modification.objects.exists()


def test_a_quota_is_set_and_read_where_it_bounds(world: World, as_user: As) -> None:
    nren = world.requests["active"].nren
    url = f"/nrens/{nren.pk}/quota/"
    assert "Quota of" not in page(as_user("jane"), "/my/requests/")
    wrong = page_text(as_user("nora").post(url, {"rate": "much", "open_requests": "-1", "reason": ""}))
    assert "how many bit/s" in wrong and "It is 0 or more" in wrong and "Say why" in wrong
    assert "from its own page" in wrong, "what was read is sent with it"
    sent = {"rate": "9M", "open_requests": "", "holds": "2", "reason": "agreed in May", "seen": "-/-/-"}
    text = page_text(as_user("nora").post(url, sent, follow=True))
    assert f"The quota of {nren.name} is set" in text and "9 Mbit/s</span>; at most" in text
    assert f"Quota of {nren.name}" in page(as_user("jane"), "/my/requests/")
    text = page_text(as_user("nora").post("/nrens/quota/", {**sent, "holds": "7"}, follow=True))
    assert "every NREN without one of its own is set" in text
    assert Quota.objects.count() == 2


def test_of_two_who_set_one_quota_the_second_is_told_and_then_sets_it(world: World, as_user: As) -> None:
    nren = world.requests["active"].nren
    for url in (f"/nrens/{nren.pk}/quota/", "/nrens/quota/"):
        read = {name: as_user(name).get(url).context["form"]["seen"].value() for name in ("nora", "niels")}
        one = {"rate": "9M", "open_requests": "", "holds": "2", "reason": "agreed in May"}
        as_user("nora").post(url, {**one, "seen": read["nora"]}, follow=True)
        sent = {"rate": "", "open_requests": "4", "holds": "", "reason": "agreed in June"}
        answer = as_user("niels").post(url, {**sent, "seen": read["niels"]})
        text = page_text(answer)
        assert answer.status_code == 409
        assert "nora set" in text and "9 Mbit/s" in text and "2 holds" in text
        form = answer.context["form"]
        assert (form["open_requests"].value(), form["reason"].value()) == ("4", "agreed in June"), "kept"
        standing = Quota.objects.get(
            nren__isnull=nren.pk not in (int(p) for p in url.split("/") if p.isdigit())
        )
        assert (standing.rate_bps, standing.open_requests, standing.holds) == (9_000_000, None, 2)
        as_user("niels").post(url, {**sent, "seen": form["seen"].value()}, follow=True)
        standing.refresh_from_db()
        assert (standing.rate_bps, standing.open_requests, standing.holds) == (None, 4, None)


def as_a_browser_sends(shown: str, **changed: str) -> dict[str, str]:
    """Every field of the form of a page as it stands there, with what it showed at first, and what somebody typed."""
    found = dict(
        re.findall(r'<input type="(?:hidden|text|datetime-local)" name="([\w-]+)" value="([^"]*)"', shown)
    )
    areas = re.findall(r'<textarea name="([\w-]+)"[^>]*>\n?([^<]*)</textarea>', shown)
    return {**found, **dict(areas), **changed}


def test_what_somebody_else_changed_meanwhile_stays(world: World, as_user: As) -> None:
    asked = world.requests["decision"]
    url = f"/requests/{asked.pk}/modify/"
    shown = page(as_user("jane"), url)
    assert 'name="initial-rate"' in shown
    modifications.modify(
        actor=world.actor("jane"), request=asked, wanted=Modify(rate="333k"), reason="a smaller hall"
    )
    end = asked.start + timedelta(days=3)
    sent = as_a_browser_sends(shown, end=f"{end:%Y-%m-%dT%H:%M}", reason="longer")
    as_user("jane").post(url, sent)
    asked.refresh_from_db()
    assert asked.rate_bps == 333_000 and asked.end == end.replace(second=0, microsecond=0)
    text = page_text(
        as_user("jane").post(url, as_a_browser_sends(page(as_user("jane"), url), reason="nothing"))
    )
    assert "nothing would change" in text.lower()
