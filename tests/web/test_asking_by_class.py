"""The form in which an NREN asks, under a scheme with several classes."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

import inventory
from inventory.models import Nren
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM, Via
from provisioning.services import people, requests
from provisioning.services.inventory import import_network
from provisioning.web.forms.asking import AskForm
from tests.web.text import page_text

NTUA = "NTUA@ilissos:GigabitEthernet1/0"
NETWORKS = Path(inventory.__file__).parent / "networks"


def form(network: str, nren: str, **data: str) -> AskForm:
    import_network(actor=SYSTEM, network=read_network(NETWORKS / f"{network}.yaml"))
    people.put_person(actor=SYSTEM, username="somebody", nrens=[Nren.objects.get(name=nren)])
    base = {
        "source_link": NTUA,
        "direction": "one-way",
        "rate": "1M",
        "bucket_bytes": "2000",
        "max_packet_bytes": "200",
        "source_prefixes": "192.0.2.0/26",
        "contact": "noc@example.org",
    }
    return AskForm({**base, **data}, actor=people.actor_named("somebody", via=Via.WEB))


@pytest.mark.django_db
def test_grnet_offers_its_three_flavours_and_voip_needs_no_destination() -> None:
    asked = form("grnet", "NTUA", service_class="voip")
    offered = [name for name, _ in asked.fields["service_class"].choices]
    assert offered == ["virtual-wire", "voip", "transparent"]
    assert "leave it open" in asked.fields["destination_link"].help_text
    assert asked.is_valid(), asked.errors
    request = asked.to_request()
    assert (request.service_class, request.destination_link) == ("voip", None)


@pytest.mark.django_db
def test_a_single_class_is_no_question_and_needs_its_destination() -> None:
    asked = form("6net", "JANET", source_link="JANET@uk6:POS1/0", source_prefixes="2001:630:8::/48")
    assert "service_class" not in asked.fields
    assert not asked.is_valid()
    assert set(asked.errors) == {"destination_link"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("network", "nren", "asks_for"),
    [("6net", "JANET", "IP Premium"), ("cti", "CAMERAS", "Foreground"), ("grnet", "NTUA", "a service")],
)
def test_the_pages_name_what_the_scheme_offers(
    network: str, nren: str, asks_for: str, client: Client
) -> None:
    form(network, nren)
    client.force_login(User.objects.get(username="somebody"))
    for name in ("my-new", "my-requests"):
        page = page_text(client.get(reverse(f"web:{name}")))
        assert f"Ask for {asks_for}" in page
        assert asks_for == "IP Premium" or "Ask for IP Premium" not in page


@pytest.mark.django_db
def test_a_request_names_its_class_as_the_scheme_does(client: Client) -> None:
    asked = form("grnet", "NTUA", service_class="voip")
    assert asked.is_valid(), asked.errors
    actor = people.actor_named("somebody", via=Via.WEB)
    made = requests.submit(actor=actor, data=asked.to_request())[0]
    client.force_login(User.objects.get(username="somebody"))
    page = page_text(client.get(reverse("web:request", args=[made.pk])))
    assert "of PIP for VoIP from" in page
    assert "IP Premium" not in page.split("<main", 1)[1]
