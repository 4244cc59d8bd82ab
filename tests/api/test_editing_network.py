"""Rows of the network by the API: edited and retired on what was read, with the same refusals as on the pages."""

from __future__ import annotations

from typing import Any

import pytest

from inventory.models import AccessLink, CoreLink, Interface, Nren, Peering, Router
from inventory.readers.network_yaml import read_network_text
from provisioning.models import SYSTEM, AuditEvent, Credential
from provisioning.services import credentials
from provisioning.services.inventory import import_network
from tests.api.conftest import Speaker, asked, expect
from tests.services.requests.sixnet import SIX_NET

V1 = "/api/v1/"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0c8mUYQ4F6i6yTWxd7tQ5gXoD1X7mJ0m2xv3mX3n4Q"


def tag(noc: Speaker, path: str) -> str:
    answer = noc.send("GET", V1 + path)
    assert answer.status_code == 200, answer.content
    return str(answer["ETag"])


def edited(noc: Speaker, path: str, body: Any, status: int = 200, **headers: str) -> Any:
    return expect(noc.send("PATCH", V1 + path, body, **headers), status)


def test_a_row_is_edited_on_what_was_read_and_never_over_what_came_since(
    speakers: dict[str, Speaker],
) -> None:
    noc = speakers["noc"]
    link = CoreLink.objects.get(name="uk6:POS2/0--nl6:POS2/0")
    path = f"core-links/{link.pk}/"
    body = {"metric": 50, "reason": "slower"}
    assert edited(noc, path, body, 428)["code"] == "precondition-required"
    events = AuditEvent.objects.count()
    tried = edited(noc, f"{path}?dry_run=true", {"metric": 50})
    assert (tried["dry_run"], tried["changes"]) == (
        True,
        [{"field": "metric", "before": "10", "after": "50"}],
    )
    assert tried["renewal"]["version"] > 1
    assert (AuditEvent.objects.count(), CoreLink.objects.get(pk=link.pk).metric) == (events, 10)
    read = tag(noc, path)
    # An import writes no event about the row: its fields are what was read, too.
    text = SIX_NET.read_text().replace(
        "{a: [uk6, POS2/0], z: [nl6, POS2/0], capacity",
        "{a: [uk6, POS2/0], z: [nl6, POS2/0], metric: 30, capacity",
    )
    import_network(actor=SYSTEM, network=read_network_text(text.encode(), source="other.yaml"))
    assert edited(noc, path, body, 412, If_Match=read)["code"] == "changed-since"
    assert (
        edited(noc, path, {**body, "reason": " "}, 400, If_Match=tag(noc, path))["errors"][0]["pointer"]
        == "#/reason"
    )
    done = edited(noc, path, body, If_Match=tag(noc, path))
    assert done["changes"] == [{"field": "metric", "before": "30", "after": "50"}]
    event = AuditEvent.objects.filter(action="core-link.edit").latest("pk")
    assert (event.before, event.after, event.reason) == ({"metric": "30"}, {"metric": "50"}, "slower")
    assert edited(noc, path, {"metric": 50, "reason": "again"}, If_Match="*")["changes"] == []


@pytest.mark.parametrize(
    ("kind", "body", "pointer"),
    [
        ("nrens", {"prefixes": ["2001:630::1/32"]}, "#/prefixes"),
        ("nrens", {"name": "a@b"}, "#/name"),
        ("routers", {"ios": "Junos"}, "#/ios"),
        ("routers", {"roles": []}, "#/roles"),
        ("routers", {"ssh_profile": "oldest"}, "#/ssh_profile"),
        ("access-links", {"dscp_map": {"x": 1}}, "#/dscp_map"),
        ("access-links", {"prefix": "no network"}, "#/prefix"),
        ("core-links", {"name": "other"}, "#/name"),
        ("core-links", {"metric": True}, "#/metric"),
        ("core-links", {}, "#"),
        ("interfaces", {"bw_bps": 1234}, "#/bw_bps"),
        ("interfaces", {"usable_bps": 10**14}, "#/usable_bps"),
        ("line-cards", {"engine": "seven"}, "#/engine"),
        ("peerings", {"peer": ""}, "#/peer"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_names_the_field(
    speakers: dict[str, Speaker], kind: str, body: Any, pointer: str
) -> None:
    noc = speakers["noc"]
    pk = noc.get(f"{V1}{kind}/")["results"][0]["id"]
    said = edited(noc, f"{kind}/{pk}/?dry_run=true", body, 400)
    assert pointer in [each["pointer"] for each in said["errors"]], said


def test_what_depends_on_a_row_keeps_it_and_is_named(speakers: dict[str, Speaker]) -> None:
    noc = speakers["noc"]
    made = speakers["JANET"].post(f"{V1}premium-requests/", asked())
    link = AccessLink.objects.get(nren__name="JANET")
    said = expect(noc.send("DELETE", f"{V1}access-links/{link.pk}/?dry_run=true"), 409)
    assert said["code"] == "still-needed"
    assert [(each["what"], each["named"]) for each in said["obstacles"]] == [
        ("Not decided", [made["reference"]])
    ]
    nren = Nren.objects.get(name="JANET")
    assert (
        expect(noc.send("DELETE", f"{V1}nrens/{nren.pk}/?reason=left", If_Match="*"), 409)["code"]
        == "still-needed"
    )
    peering = Peering.objects.get()
    path = f"peerings/{peering.pk}/"
    for query, parameter in (
        ("gone=true", "gone"),
        ("dry_run=maybe", "dry_run"),
        ("why=x", "why"),
        ("", "reason"),
    ):
        said = expect(noc.send("DELETE", f"{V1}{path}?{query}", If_Match="*"), 400)
        assert [each["parameter"] for each in said["errors"]] == [parameter]
    read = tag(noc, path)
    expect(noc.send("DELETE", f"{V1}{path}?reason=ended", If_Match=read), 200)
    expect(noc.send("DELETE", f"{V1}{path}?reason=ended", If_Match=read), 404)
    assert (
        Peering.every.get(pk=peering.pk).retired_at
        and not Interface.objects.filter(pk=peering.interface_id).exists()
    )
    event = AuditEvent.objects.filter(action="peering.retire").latest("pk")
    assert event.before["peer"] == "GEANT" and event.after["retired"] is True


def test_a_part_of_a_network_comes_in_by_the_api_with_every_fault_at_once(
    speakers: dict[str, Speaker],
) -> None:
    noc, path = speakers["noc"], f"{V1}network-files/"
    head = SIX_NET.read_text().split("# Routers:")[0]
    (router,) = (line[:-1] for line in SIX_NET.read_text().splitlines() if line.startswith("  - {name: uk6,"))
    new = (
        f"{head}routers:\n{router}}}\nnrens:\n  - {{name: HEAnet, country: ie, prefixes: ['2001:770::/32']}}\n"
        "access_links:\n  - {nren: HEAnet, router: uk6, interface: POS1/1, capacity_bps: 155520000, case: filtered}\n"
    )
    bad = (
        new.replace("country: ie", "country: IRL")
        .replace("POS1/1", "pos1/1")
        .replace("case: filtered", "case: maybe")
    )
    said = noc.post(path, {"text": bad}, 400)
    places = [each["reason"].partition(":")[0] for each in said["errors"]]
    assert [place.partition(", ")[2] for place in places] == [
        "nrens[0].country",
        "access_links[0].interface",
        "access_links[0].case",
    ]
    assert all(place.startswith("line ") for place in places)
    assert (
        noc.post(f"{path}?dry_run=true", {"text": new, "name": "heanet.yaml"}, 200, Idempotency_Key="k")[
            "created"
        ]
        == 4
    )
    assert not Nren.objects.filter(name="HEAnet").exists()
    first = noc.post(path, {"text": new, "name": "heanet.yaml"}, 200, Idempotency_Key="k")
    assert first == noc.post(path, {"text": new, "name": "heanet.yaml"}, 200, Idempotency_Key="k")
    assert AccessLink.objects.get(nren__name="HEAnet").case == "filtered"
    uk6 = Router.objects.get(name="uk6")
    credentials.store(actor=SYSTEM, router=uk6, username="noc", password="x", enable="")
    reached = new.replace(
        "provenance: doc}", f"provenance: doc, management: {{host: 192.0.2.66, host_key: {KEY}}}}}"
    )
    told = noc.post(path, {"text": reached}, 200)
    assert any("sign-in is given up" in remark for row in told["rows"] for remark in row["remarks"])
    assert not Credential.objects.filter(router=uk6).exists()


@pytest.mark.django_db(transaction=True)
def test_the_client_edits_on_what_it_read(live_server: Any) -> None:
    from expedite_client import Client, Problem
    from tests.api.conftest import issue_tokens

    token = issue_tokens()["noc"]
    with Client(live_server.url, str(token)) as client:
        (peering,) = client.peerings.list()
        row, tag_ = client.peerings.read(peering["id"])
        assert row == peering
        assert client.peerings.would_edit(row["id"], {"peer": "GEANT2"})["changes"][0]["after"] == "GEANT2"
        client.peerings.edit(row["id"], {"prefix": "2001:db8:99::/64"}, tag=tag_, reason="seen")
        with pytest.raises(Problem, match="read it again"):
            client.peerings.retire(row["id"], tag=tag_, reason="ended")
        with pytest.raises(Problem, match=r"de6 \(it was never read\)"):
            client.peerings.would_retire(row["id"], exempt_reason="shut")
        client.peerings.retire(row["id"], tag=client.peerings.read(row["id"])[1], reason="ended")
        assert client.network_files.would_import(SIX_NET.read_text())["created"] == 2
        interface = next(client.interfaces.list(router="uk6"))
        assert client.interfaces.would_edit(interface["id"], {"description": "x"})["renewal"] is None
        assert next(client.line_cards.list(router="uk6"))["engine"] == "3"
        router = client.routers.named("uk6")
        with pytest.raises(Problem, match="still needed"):
            client.routers.would_retire(router["id"], gone=True)
