"""Networks sort by address, nest both ways and come back as they went in, whatever the database."""

from __future__ import annotations

import ipaddress

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from inventory.fields import IPNetworkField, from_sortable, to_sortable
from inventory.models import Domain, Nren, Prefix

v4 = st.integers(0, 32).flatmap(
    lambda length: st.integers(0, 2**length - 1).map(
        lambda n: ipaddress.IPv4Network((n << (32 - length), length))
    )
)
v6 = st.integers(0, 128).flatmap(
    lambda length: st.integers(0, 2**length - 1).map(
        lambda n: ipaddress.IPv6Network((n << (128 - length), length))
    )
)


@given(st.one_of(v4, v6))
def test_the_stored_text_comes_back(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> None:
    assert from_sortable(to_sortable(network)) == network
    assert len(to_sortable(network)) == 36


@given(st.lists(v6, min_size=2))
def test_text_order_is_address_order(networks: list[ipaddress.IPv6Network]) -> None:
    by_text = sorted(networks, key=to_sortable)
    assert by_text == sorted(networks, key=lambda item: (int(item.network_address), item.prefixlen))


@pytest.mark.parametrize("text", ["2001:db8::1/32", "fish", "2001:db8::/129"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        IPNetworkField().to_python(text)


@pytest.mark.django_db
def test_rows_inside_and_rows_around_are_found() -> None:
    domain = Domain.objects.create(name="D", asn=1, prefix="2001:db8::/32", scheme="6net")
    nren = Nren.objects.create(domain=domain, name="N", country="no")
    stored = ["10.0.0.0/8", "10.1.0.0/16", "2001:db8::/40", "2001:db8:100::/40", "2001:db8:100::/48", "::/0"]
    for text in stored:
        Prefix.objects.create(nren=nren, network=text)

    def found(**lookup: str) -> list[str]:
        return [str(prefix.network) for prefix in Prefix.objects.filter(**lookup)]

    assert found(network__net_within="2001:db8:100::/40") == ["2001:db8:100::/40", "2001:db8:100::/48"]
    assert found(network__net_within="10.0.0.0/8") == ["10.0.0.0/8", "10.1.0.0/16"]
    assert found(network__net_around="10.1.2.0/24") == ["10.0.0.0/8", "10.1.0.0/16"]
    assert found(network__net_around="2001:db8:100::/48") == [
        "::/0",
        "2001:db8:100::/40",
        "2001:db8:100::/48",
    ]
    assert found(network="2001:db8::/40") == ["2001:db8::/40"]
    assert found() == [
        "10.0.0.0/8",
        "10.1.0.0/16",
        "::/0",
        "2001:db8::/40",
        "2001:db8:100::/40",
        "2001:db8:100::/48",
    ]
