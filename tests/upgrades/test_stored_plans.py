"""Plans stored with their push become rows of their own; what was approved before the upgrade stays approved."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

from provisioning.pipeline.change.stored import SHARED, WHOLE
from provisioning.selectors.plans import NO_PLAN, digest_of
from tests.upgrades.conftest import Upgrade
from tests.web.plans import swap_plan

BEFORE, ROOM, MOVED, AFTER = (
    "0008_heartbeats",
    "0009_stored_plan",
    "0010_plans_as_rows",
    "0011_plan_left_the_push",
)


@pytest.mark.parametrize("form", [WHOLE, SHARED])
def test_every_plan_is_moved_and_its_approval_still_holds(upgrade: Upgrade, form: int) -> None:
    """As 0.1.0 kept them; and once more after a way back with plans of today."""
    apps = upgrade.to(BEFORE)
    plan = dataclasses.replace(swap_plan(), form=form).to_json()
    plan["back"] = [{**plan["proof"][0], "violations": ["open for a moment"]}]
    where = (
        apps.get_model("inventory", "Domain")
        .objects.using(upgrade.alias)
        .create(name="6NET", scheme="6net", asn=6680, prefix="2001:798::/32")
    )
    pop = (
        apps.get_model("inventory", "Pop")
        .objects.using(upgrade.alias)
        .create(domain=where, name="AMS", country="NL")
    )
    router = (
        apps.get_model("inventory", "Router")
        .objects.using(upgrade.alias)
        .create(domain=where, pop=pop, name="nl6", platform="ios")
    )
    change = (
        apps.get_model("provisioning", "Change")
        .objects.using(upgrade.alias)
        .create(
            kind="baseline", title="t", scheme="6net", scheme_digest="", template_digest="", intent_digest=""
        )
    )
    pushes = apps.get_model("provisioning", "RouterPush").objects.using(upgrade.alias)
    read = pushes.create(change=change, router=router, phase="edges", position=1, plan=plan, state="APPROVED")
    unread = pushes.create(
        change=change, router=router, phase="core-on", position=2, plan=None, state="UNKNOWN"
    )
    said = [
        hashlib.sha256(json.dumps(each.plan, sort_keys=True).encode()).hexdigest()
        for each in pushes.order_by("pk")
    ]

    apps = upgrade.to(AFTER)
    pushes = apps.get_model("provisioning", "RouterPush").objects.using(upgrade.alias)
    (stored,) = apps.get_model("provisioning", "StoredPlan").objects.using(upgrade.alias).all()
    assert stored.push_id == read.pk and json.loads(stored.content) == plan
    assert stored.size == len(stored.content)
    assert stored.violations == ["on the way back: open for a moment"]
    assert stored.gaps == [gap["text"] for gap in plan["gaps"]] and stored.gaps
    assert pushes.get(pk=read.pk).lines == len(plan["commands"])
    # The hash over each plan is what the fingerprint of a change always covered.
    assert [each.plan_digest or NO_PLAN for each in pushes.order_by("pk")] == said
    assert pushes.get(pk=read.pk).plan_digest == digest_of(stored.content)
    assert pushes.get(pk=unread.pk).plan_digest == ""

    apps = upgrade.to(BEFORE)
    pushes = apps.get_model("provisioning", "RouterPush").objects.using(upgrade.alias)
    assert [each.plan for each in pushes.order_by("pk")] == [plan, None]
