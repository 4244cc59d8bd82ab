"""What a reservation uses, on its page: who sends it reads it, with the sentence, the chart and the file."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from provisioning.models import CounterLook, PremiumRequest, Reservation, Span, UsagePeriod, UsageSeries
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]
HEADER = 4
SIZE = 500


@pytest.fixture(autouse=True)
def counting(settings: Any) -> None:
    settings.USAGE_SECONDS = 300


@pytest.fixture
def asked(world: World) -> PremiumRequest:
    """JANET's 1.5 Mbit/s, on since three days."""
    request = world.requests["active"]
    Reservation.objects.filter(request=request).update(put_on_at=timezone.now() - timedelta(days=3))
    return PremiumRequest.objects.select_related("reservation", "source_link__interface__router").get(
        pk=request.pk
    )


@pytest.fixture
def counted(asked: PremiumRequest) -> UsageSeries:
    """Its class, counted every five minutes, two hours ago for the first time."""
    return class_of(asked)


def class_of(asked: PremiumRequest, *, error: str = "", **more: Any) -> UsageSeries:
    """The class that the traffic of a request enters by, on a router that was counted just now."""
    interface, now = asked.source_link.interface, timezone.now()
    CounterLook.objects.create(router=interface.router, due_at=now, read_at=now, tried_at=now, error=error)
    return UsageSeries.objects.create(
        router=interface.router,
        interface=interface.name,
        direction="input",
        classes="EF-FILTERED",
        link=asked.source_link.name,
        role="access",
        services=[asked.service_class],
        requests=[asked.pk],
        reserved_bps=asked.rate_bps,
        header_bytes=HEADER,
        seen_at=now,
        **more,
    )


def sent(
    series: UsageSeries, at: datetime, bps: int, *, lost: float = 0.0, span: Span = Span.POLL, **more: Any
) -> None:
    """So much of layer 3 was sent in the stretch of this length, and a part of it dropped."""
    seconds = {Span.POLL: 300, Span.HOUR: 3600, Span.DAY: 86400}[span]
    packets = bps * seconds // 8 // SIZE
    over = round(packets * lost)
    UsagePeriod.objects.create(
        series=series,
        span=span,
        at=at,
        seconds=seconds,
        packets=packets,
        bytes=packets * (SIZE + HEADER),
        passed_packets=packets - over,
        passed_bytes=(packets - over) * (SIZE + HEADER),
        dropped_packets=over,
        dropped_bytes=over * (SIZE + HEADER),
        reserved_bps=series.reserved_bps,
        **more,
    )


def hour(ago: int) -> datetime:
    return timezone.now().replace(minute=0, second=0, microsecond=0) - timedelta(hours=ago)


def test_what_conforms_is_said_so(as_user: As, asked: PremiumRequest, counted: UsageSeries) -> None:
    sent(counted, timezone.now() - timedelta(minutes=2), 1_200_000)
    sent(counted, hour(1), 1_100_000, span=Span.HOUR)
    page = as_user("jane").get(reverse("web:request-usage", args=[asked.pk]))
    text = page_text(page)
    assert "JANET sent 1.2 Mbit/s of 1.5 Mbit/s reserved" in text
    assert "Nothing was dropped by the policer." in text
    assert "<polyline" in page.content.decode()


def test_what_is_dropped_is_said_with_since_when_and_the_cure(
    as_user: As, asked: PremiumRequest, counted: UsageSeries
) -> None:
    now = timezone.now()
    for number in reversed(range(6)):
        sent(counted, now - timedelta(minutes=5 * number), 2_300_000, lost=0.13 if number < 4 else 0)
    since = now - timedelta(minutes=20)
    UsageSeries.objects.update(dropping_since=since)
    text = page_text(as_user("jane").get(reverse("web:request-usage", args=[asked.pk])))
    assert "JANET sent 2.3 Mbit/s of 1.5 Mbit/s reserved" in text
    assert f"13 % of its packets were dropped by the policer since {since:%Y-%m-%d %H:%M UTC}" in text
    assert "more is sent than is reserved" in text
    assert "shaper of the sender's side" in text
    assert "JANET sent 2.3 Mbit/s" in page_text(
        as_user("nora").get(reverse("web:request-usage", args=[asked.pk]))
    )


def test_bursts_are_told_from_too_much(as_user: As, asked: PremiumRequest, counted: UsageSeries) -> None:
    sent(counted, timezone.now(), 1_000_000, lost=0.05)
    text = page_text(as_user("jane").get(reverse("web:request-usage", args=[asked.pk])))
    assert "5.0 % of its packets were dropped" in text
    assert "but in longer bursts than the policer" in text


def test_a_class_that_others_share_says_who(
    as_user: As, asked: PremiumRequest, counted: UsageSeries, world: World
) -> None:
    other = world.requests["admitted"]
    UsageSeries.objects.update(requests=[asked.pk, other.pk], reserved_bps=4_500_000)
    sent(counted, timezone.now(), 1_000_000)
    text = page_text(as_user("jane").get(reverse("web:request-usage", args=[asked.pk])))
    assert "All reservations of the link enter by this class" in text
    assert other.reference in text


def test_what_is_old_is_not_said_as_new(
    as_user: As, asked: PremiumRequest, counted: UsageSeries, settings: Any
) -> None:
    long_ago = timezone.now() - timedelta(hours=2)
    sent(counted, long_ago, 1_000_000)
    CounterLook.objects.update(read_at=long_ago, error="unreachable: uk6 does not answer")
    text = page_text(as_user("jane").get(reverse("web:request-usage", args=[asked.pk])))
    assert "It was counted last 2 h ago: its router cannot be read" in text
    assert "Nothing was dropped" not in text
    text = page_text(as_user("nora").get(reverse("web:request-usage", args=[asked.pk])))
    assert "unreachable: uk6 does not answer" in text
    CounterLook.objects.update(read_at=timezone.now(), error="")  # its policy was taken off by hand
    text = page_text(as_user("jane").get(reverse("web:request-usage", args=[asked.pk])))
    assert "its router does not show its class any more" in text


def test_nothing_counted_yet_and_counting_off(
    as_user: As, asked: PremiumRequest, world: World, settings: Any
) -> None:
    address = reverse("web:request-usage", args=[asked.pk])
    assert "Its router has not counted it yet." in page_text(as_user("jane").get(address))
    early = reverse("web:request-usage", args=[world.requests["decision"].pk])
    assert "counted while it is on its router" in page_text(as_user("jane").get(early))
    settings.USAGE_SECONDS = 0
    assert "Counters are not read on this installation" in page_text(as_user("jane").get(address))


def test_the_file_has_the_numbers(as_user: As, asked: PremiumRequest, counted: UsageSeries) -> None:
    sent(counted, hour(2), 800_000, span=Span.HOUR)
    sent(counted, hour(1), 1_600_000, span=Span.HOUR, lost=0.5, is_at_least=True)
    answer = as_user("jane").get(reverse("web:request-usage-file", args=[asked.pk]), {"span": "hour"})
    assert "attachment" in answer["Content-Disposition"]
    first, second = csv.DictReader(answer.getvalue().decode().splitlines())
    assert (first["sent_bps"], first["reserved_bps"], first["at_least"]) == ("800000", "1500000", "false")
    assert (second["sent_bps"], second["passed_bps"], second["at_least"]) == ("1600000", "800000", "true")


def test_a_wrong_span_is_refused_by_name(as_user: As, asked: PremiumRequest) -> None:
    answer = as_user("jane").get(reverse("web:request-usage", args=[asked.pk]), {"span": "week"})
    assert answer.status_code == 400
    assert "none of poll, hour, day" in page_text(answer)


def test_who_receives_does_not_read_what_is_sent(
    as_user: As, asked: PremiumRequest, counted: UsageSeries
) -> None:
    for name in ("request-usage", "request-usage-file"):
        assert as_user("giorgos").get(reverse(f"web:{name}", args=[asked.pk])).status_code == 404
    assert "Usage" not in page_text(as_user("giorgos").get(reverse("web:request", args=[asked.pk])))


def test_a_link_shows_its_classes_that_carry_a_service(
    as_user: As, asked: PremiumRequest, counted: UsageSeries
) -> None:
    sent(counted, timezone.now(), 1_200_000)
    for ago in range(5):
        sent(counted, hour(ago), 1_000_000 + ago * 50_000, span=Span.HOUR)
    UsageSeries.objects.create(
        router=counted.router,
        interface=counted.interface,
        direction="input",
        classes="class-default",
        link=counted.link,
        role="access",
        seen_at=timezone.now(),
    )
    text = page_text(as_user("nora").get(reverse("web:link-access", args=[asked.source_link_id])))
    assert "Sent inwards on uk6, class" in text
    assert "EF-FILTERED" in text
    assert "1.2 Mbit/s of 1.5 Mbit/s, until" in text
    assert "class-default" not in text


def test_metrics_say_what_is_fresh(
    client: Client, asked: PremiumRequest, counted: UsageSeries, settings: Any
) -> None:
    settings.METRICS_NETWORKS = [ip_network("127.0.0.0/8")]
    UsageSeries.objects.update(sent_bps=2_300_000, passed_bps=1_500_000, lost=0.35)
    labels = f'class="EF-FILTERED",direction="input",interface="{counted.interface}",link="{counted.link}",router="uk6"'
    said = client.get("/metrics").content.decode()
    assert f"expedite_usage_sent_bits_per_second{{{labels}}} 2.3e+06" in said
    assert f"expedite_usage_lost_ratio{{{labels}}} 0.35" in said
    assert "expedite_counters_unread 0.0" in said
    UsageSeries.objects.update(seen_at=timezone.now() - timedelta(minutes=20))
    assert "expedite_usage_sent_bits_per_second{" not in client.get("/metrics").content.decode()
