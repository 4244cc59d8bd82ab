"""Who speaks with a token: the person, the roles and NRENs that it has, and no more than that."""

from __future__ import annotations

from inventory.models import Nren
from provisioning.models import SYSTEM, ApiToken, Role
from provisioning.services import people, tokens
from tests.api.conftest import Speaker

URL = "/api/v1/me/"


def test_an_nren_reads_who_it_is(speakers: dict[str, Speaker]) -> None:
    me = speakers["JANET"].get(URL)
    own = ApiToken.objects.get(user__username="janet", name="t")
    assert (me["user"], me["roles"]) == ("janet", ["nren"])
    assert me["nrens"] == [{"id": Nren.objects.get(name="JANET").pk, "name": "JANET"}]
    assert {"ask", "withdraw"} & set(me["verbs"]) == {"ask"} and "decide" not in me["verbs"]
    assert (me["token"]["id"], me["token"]["prefix"], me["token"]["state"]) == (own.pk, own.prefix, "live")
    assert "text" not in me["token"]


def test_the_noc_reads_who_it_is(speakers: dict[str, Speaker]) -> None:
    me = speakers["noc"].get(URL)
    assert me["roles"] == ["noc-operator", "noc-approver"] and me["nrens"] == []
    assert {"decide", "plan", "see-backbone"} <= set(me["verbs"])


def test_a_token_of_one_nren_of_two_names_that_one(speakers: dict[str, Speaker]) -> None:
    both = [Nren.objects.get(name=name) for name in ("DFN", "JANET")]
    user = people.put_person(actor=SYSTEM, username="both", roles=[Role.NREN], nrens=both)
    _token, text = tokens.issue(actor=SYSTEM, user=user, nren=both[0], name="one")
    assert [each["name"] for each in Speaker(text).get(URL)["nrens"]] == ["DFN"]
    _token, text = tokens.issue(actor=SYSTEM, user=user, nren=None, name="all")
    assert [each["name"] for each in Speaker(text).get(URL)["nrens"]] == ["DFN", "JANET"]


def test_it_takes_no_parameters(speakers: dict[str, Speaker]) -> None:
    assert speakers["JANET"].get(f"{URL}?page=1", 400)["errors"]
    assert speakers["JANET"].get(f"{URL}?user=nora", 400)["errors"]
