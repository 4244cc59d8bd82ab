"""The prefixes of requests stand as rows of their own, whoever writes the request."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.db import connection

from inventory.fields import to_sortable
from inventory.models import AccessLink
from provisioning.models import PremiumRequest, RequestPrefix
from provisioning.selectors import requests
from tests.services.house import House, bare_house

__all__ = ["bare_house"]


def rows_of(key: int) -> set[tuple[str, str]]:
    rows = RequestPrefix.objects.filter(request=key)
    return {(row.side, str(row.network)) for row in rows}


def put(house: House, sources: list[str], destinations: list[str]) -> PremiumRequest:
    link = AccessLink.objects.select_related("nren").order_by("pk")[0]
    one = PremiumRequest(
        nren=link.nren,
        source_link=link,
        rate_bps=1,
        bucket_bytes=1,
        max_packet_bytes=1,
        start="2026-12-01T00:00Z",
        source_prefixes=sources,
        destination_prefixes=destinations,
        submitted_by_id=house.noc[0].user_id,
    )
    return PremiumRequest.objects.bulk_create([one])[0]


def test_they_follow_what_is_written_and_go_with_it(bare_house: House) -> None:
    one = put(bare_house, ["2001:db8:1::/48", "192.0.2.0/24", "192.0.2.0/24"], ["::/0"])
    assert rows_of(one.pk) == {
        ("source", "2001:db8:1::/48"),
        ("source", "192.0.2.0/24"),
        ("destination", "::/0"),
    }
    assert RequestPrefix.objects.filter(request=one.pk).count() == 3
    PremiumRequest.objects.filter(pk=one.pk).update(
        source_prefixes=["2001:db8:2::/48"], destination_prefixes=[]
    )
    assert rows_of(one.pk) == {("source", "2001:db8:2::/48")}
    key = one.pk
    PremiumRequest.objects.filter(pk=key)._raw_delete(connection.alias)
    assert rows_of(key) == set()


@pytest.mark.parametrize(
    "text", ["::/0", "2001:db8::1/128", "::ffff:192.0.2.0/120", "0.0.0.0/0", "10.1.2.3/32"]
)
def test_they_are_spelled_as_the_inventory_spells_them(bare_house: House, text: str) -> None:
    one = put(bare_house, [text], [])
    (stored,) = RequestPrefix.objects.filter(request=one.pk, network=text)
    assert to_sortable(stored.network) == to_sortable(ip_network(text))


def test_what_holds_a_prefix_and_what_lies_in_it(bare_house: House) -> None:
    wide = put(bare_house, ["2001:db8::/32"], [])
    narrow = put(bare_house, ["2001:db8:0:1::/64"], ["2001:db9::/32"])
    other = put(bare_house, ["192.0.2.0/24"], [])
    rows, asked = PremiumRequest.objects.all(), ip_network("2001:db8::/48")
    mine = {wide.pk, narrow.pk, other.pk}
    assert mine & set(requests.covering(rows, asked).values_list("pk", flat=True)) == {wide.pk}
    assert mine & set(requests.touching(rows, asked).values_list("pk", flat=True)) == {wide.pk, narrow.pk}
