"""A border link's page shows what leaves the domain by it; under a scheme that promises nothing there, it says so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

import inventory
from inventory.models import Peering
from inventory.readers.network_yaml import read_network
from provisioning.models import SYSTEM
from provisioning.services import decisions, requests
from provisioning.services.inventory import import_network
from tests.services.requests.sixnet import ASKED, noc, person
from tests.web.text import page_text

NETWORKS = Path(inventory.__file__).parent / "networks"


def _page(username: str, path: str) -> str:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return page_text(client.get(path))


@pytest.mark.django_db
def test_what_leaves_by_a_peering_is_on_its_page_and_in_the_list() -> None:
    import_network(actor=SYSTEM, network=read_network(NETWORKS / "grnet.yaml"))
    asked = replace(
        ASKED,
        source_link="NTUA@ilissos:GigabitEthernet1/0",
        source_prefixes=("2001:648:2000:1::/64",),
        destination_link=None,
        destination_prefixes=("2001:630:8::/48",),
        service_class="transparent",
        rate=60_000_000,
    )
    (request,) = requests.submit(actor=person("nikos", nrens=("NTUA",)), data=asked)
    decisions.admit(actor=noc(), request=request, reason="read")
    peering = Peering.objects.get()
    text = _page("nora", f"/links/peering/{peering.pk}/")
    assert "20 % of 2.488 Gbit/s for pool premium-ip <span" in text and ">our choice<" in text
    assert request.reference in text and "Committed into" not in text
    listed = _page("nora", "/links/?kind=peering")
    assert "497.6 Mbit/s" in listed


@pytest.mark.django_db
def test_under_a_scheme_without_a_border_share_nothing_is_promised_there() -> None:
    import_network(actor=SYSTEM, network=read_network(NETWORKS / "6net.yaml"))
    noc()
    text = _page("nora", f"/links/peering/{Peering.objects.get().pk}/")
    assert "This scheme promises nothing on a peering." in text
