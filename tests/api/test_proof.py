"""The proof of a change over the API: every line, what it changes, and the way back."""

from __future__ import annotations

from inventory.models import Router
from provisioning.models import Change, RouterPush
from provisioning.services.plans import keep_plan
from tests.api.conftest import Speaker
from tests.web.plans import EDGE, swap_plan


def test_the_proof_of_a_change_is_told_line_by_line(speakers: dict[str, Speaker]) -> None:
    plan = swap_plan("uk6")
    change = Change.objects.create(
        kind="baseline", title="x", scheme="6net", scheme_digest="", template_digest="", intent_digest=""
    )
    push = RouterPush.objects.create(
        change=change, router=Router.objects.get(name="uk6"), phase="edges", position=1,
        fingerprint=plan.fingerprint, lines=len(plan.commands),
    )  # fmt: skip
    keep_plan(push, plan)
    (told,) = speakers["noc"].get(f"/api/v1/changes/{change.pk}/proof/")
    assert (told["router"], told["phase"], told["fingerprint"]) == ("uk6", "edges", plan.fingerprint)
    lines = told["commands"]["lines"]
    assert [line["line"] for line in lines] == [line.text for line in plan.commands]
    assert [line["gap"] for line in lines][-2:] == ["opens", "closes"]
    (edge,) = lines[-1]["changed"]
    assert edge["interface"] == EDGE
    assert edge["state"]["marker"] == "acl" and edge["state"]["ef_rate"] == "percent 5"
    assert told["commands"]["safe"] is told["rollback"]["safe"] is True
    assert [line["line"] for line in told["rollback"]["lines"]] == [line.text for line in plan.rollback]
