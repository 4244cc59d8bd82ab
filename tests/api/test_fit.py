"""Whether what was granted still fits: each NREN reads that of its own requests, and numbers of its own links alone."""

from __future__ import annotations

from inventory.models import Router
from provisioning.models import ConfigSnapshot, PremiumRequest, Via
from provisioning.selectors import topology
from provisioning.services import decisions, people
from tests.api.conftest import START, Speaker, asked

URL = "/api/v1/premium-requests/"


def test_a_share_that_shrank_is_told_to_each_as_far_as_it_is_theirs(speakers: dict[str, Speaker]) -> None:
    made = speakers["JANET"].post(URL, asked())
    url = f"{URL}{made['id']}/"
    assert made["fit"] is None, "it holds nothing yet"
    speakers["GRNET"].send("POST", f"{url}consent/", {"agree": True})
    request = PremiumRequest.objects.get(pk=made["id"])
    decisions.admit(actor=people.actor_named("the-noc", via=Via.CLI), request=request, reason="fits")
    fits = {"fits": True, "start": None, "to": None, "moving_since": None, "no_path": False, "links": []}
    assert speakers["JANET"].get(url)["fit"] == fits

    uk6 = Router.objects.get(name="uk6")
    ConfigSnapshot.objects.create(router=uk6, text="", digest="2" * 64, bandwidths={"POS1/0": 20_000_000})
    topology.forget()
    seen = {name: speakers[name].get(url)["fit"] for name in ("JANET", "GRNET")}
    assert [each["fits"] for each in seen.values()] == [False, False]
    assert {each["start"] for each in seen.values()} == {START.isoformat()}
    (own,) = seen["JANET"]["links"]
    assert (own["link"], own["direction"]) == ("JANET@uk6:POS1/0", "in")
    assert (own["granted_bps"], own["share_bps"], own["shortfall_bps"]) == (2_000_000, 1_000_000, 1_000_000)
    assert seen["GRNET"]["links"] == [], "the far link is JANET's"
