"""What the commands print about a change: the routers that matter, what each holds now, and the way out."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from inventory.models import Router
from provisioning.management import changes_as_text, routers_as_text
from provisioning.management.mqc_as_text import told_as_text
from provisioning.models import RouterPush, RouterSync
from provisioning.pipeline.diff import Line
from provisioning.pipeline.safety import LineState, tell
from provisioning.pipeline.states import PushState
from tests.kept import kept
from tests.plans import replan
from tests.web.plans import SAME
from tests.web.test_night import beside
from tests.web.text import page_text
from tests.web.world import World, build_world


@pytest.fixture
def world(db: None) -> World:
    return kept("world", build_world)


def test_routers_with_nothing_to_send_share_one_line(world: World) -> None:
    for name in ("de6", "gr6"):
        beside(world, "planned", name)
    planned = changes_as_text.plan(world.changes["planned"])
    assert "Read, and nothing to send: de6, gr6" in planned
    assert "=== nl6" in planned and "=== de6" not in planned
    beside(world, "done", "de6")
    ended = changes_as_text.outcome(world.changes["done"])
    assert "Read, and nothing to send: de6" in ended and ended.count("de6") == 1


def test_what_is_said_of_a_router_with_nothing_to_send_is_printed_once(world: World, client: Client) -> None:
    """A guaranteed service rests on the routes of every router it crosses, also of one that needs no line."""
    for name, text in (("de6", "needs a static route over POS2/1"), ("gr6", "said of all")):
        beside(world, "planned", name)
        push = RouterPush.objects.get(change=world.changes["planned"], router__name=name)
        replan(push, warnings=[text, "said of all"])
    planned = changes_as_text.plan(world.changes["planned"])
    assert "WARNING   de6: needs a static route over POS2/1" in planned
    assert planned.count("said of all") == 1
    client.force_login(User.objects.get(username="nora"))
    page = page_text(client.get(reverse("web:change", args=[world.changes["planned"].pk])))
    assert "de6: needs a static route over POS2/1" in page


def test_one_router_is_not_counted_as_several(world: World) -> None:
    assert "1 router, 1 of 1" in changes_as_text.plan(world.changes["planned"])


@pytest.mark.parametrize(
    ("state", "says"),
    [
        (PushState.ROLLED_BACK, "it holds what it held before, nothing was saved"),
        (PushState.UNKNOWN, "not known until it is read"),
        (PushState.STALE, "nothing of this plan was sent"),
        (PushState.FAILED, "nothing was sent to it, it holds what it held before"),
    ],
)
def test_what_a_router_holds_after_a_push_that_stopped(world: World, state: PushState, says: str) -> None:
    RouterPush.objects.filter(pk=world.pushes["failed"].pk).update(state=state)
    text = changes_as_text.outcome(world.changes["failed"])
    assert "  nl6: " in text and says in text


def test_what_is_not_saved_is_said_at_the_end(world: World) -> None:
    assert "a reload" not in changes_as_text.outcome(world.changes["done"])
    RouterPush.objects.filter(pk=world.pushes["done"].pk).update(saved=False)
    assert "a reload would lose them" in changes_as_text.outcome(world.changes["done"])


def test_a_hand_edit_in_the_way_names_the_command_that_mends_it(world: World) -> None:
    RouterPush.objects.filter(pk=world.pushes["planned"].pk).update(
        conflicts=[{"text": "policy-map NON-PARTICIPANT is ours and was edited by hand"}]
    )
    assert "manage.py plan --repair --router nl6" in changes_as_text.plan(world.changes["planned"])


def test_a_plan_explains_itself_line_by_line(world: World) -> None:
    told = changes_as_text.plan(world.changes["planned"], explain=True)
    off = told.index("no service-policy input NON-PARTICIPANT")
    assert told.index("GAP OPENS GigabitEthernet1/0: NON-PARTICIPANT off: nobody marks") > off
    assert "GAP CLOSES GigabitEthernet1/0: FILTERED-IN on: the access list marks" in told
    assert told.index("! rollback") < told.index("GAP OPENS GigabitEthernet1/0: FILTERED-IN off")
    assert "GAP OPENS" not in changes_as_text.plan(world.changes["planned"])
    said = changes_as_text.plan(world.changes["planned"])
    assert "  REFUSED?  GigabitEthernet1/0 input: service-policy input NON-PARTICIPANT: everything" in said
    assert "  MEASURED  How long a swap lasts on" in said
    (push,) = changes_as_text.as_json(world.changes["planned"])["pushes"]
    assert [each["policy"] for each in push["alternatives"]] == ["FILTERED-IN", "NON-PARTICIPANT"]
    assert [state["line"] for state in push["proof"][1:]] == push["commands"]
    assert [state["line"] for state in push["proof_of_rollback"][1:]] == push["rollback"]


def test_what_is_equal_today_is_said_in_plan_and_verify(world: World) -> None:
    push = RouterPush.objects.get(pk=world.pushes["planned"].pk)
    replan(push, equal_today=[SAME.to_json()])
    told = (
        f"{SAME.interface} input: class EF of TRUSTED-IN has `police cir 7750000`, intended is `police cir percent 5`: "
        "equal today"
    )
    assert f"EQUAL TODAY {told}" in changes_as_text.plan(world.changes["planned"])
    row = RouterSync(
        router=push.router, state="differs", detail={"items": [], "equal_today": [SAME.to_json()]}
    )
    assert f"EQUAL TODAY {told}" in routers_as_text.sync(row)
    assert f"Next: manage.py plan --router {push.router.name} --as USER" in routers_as_text.sync(row)


def test_lists_that_grow_with_the_network_are_cut(world: World) -> None:
    push = RouterPush.objects.get(pk=world.pushes["planned"].pk)
    RouterPush.objects.filter(pk=push.pk).update(
        conflicts=[{"text": f"policy-map P{number} is not ours"} for number in range(40)]
    )
    told = changes_as_text.plan(world.changes["planned"])
    assert "... and 28 more (--json lists them)" in told
    assert "P11 is not ours" in told and "P12 is not ours" not in told
    items = [{"object": f"policy-map P{number}", "expected": "", "found": "x"} for number in range(20)]
    row = RouterSync(router=push.router, state="differs", detail={"items": items})
    assert "... and 8 more (--json lists them)" in routers_as_text.sync(row)


def test_what_is_wrong_after_a_line_is_said_once_and_cut() -> None:
    wrong = tuple(f"POS1/{number}: EF enters unpoliced" for number in range(20))
    lines = [
        Line("policy-map TRUSTED-IN"),
        Line("no class EF", 1),
        Line("class LBE", 1),
        Line("police cir percent 5", 2),
    ]
    proof = [LineState(None, ())]
    proof += [
        LineState(line.text, (), found) for line, found in zip(lines, ((), wrong, wrong, ()), strict=True)
    ]
    told = list(told_as_text(lines, tell(proof)))
    assert sum("EF enters unpoliced" in text for text in told) == 8
    assert "!   -> UNSAFE: ... and 12 more (--json lists them)" in told
    assert told[told.index("  police cir percent 5") + 1] == "!   -> safe again"


def test_long_names_of_routers_line_up(world: World) -> None:
    beside(world, "planned", "de6")
    Router.objects.filter(name="de6").update(name="fra-core-router-1")
    RouterPush.objects.filter(change=world.changes["planned"]).update(
        state=PushState.STALE, lines=1, conflicts=["x"]
    )
    told = changes_as_text.outcome(world.changes["planned"]).splitlines()
    columns = {line.index(" edges ") for line in told if " edges " in line}
    assert columns == {len("  fra-core-router-1")}


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("approved", "Next: manage.py push {pk} --as USER"),
        ("pushing", "{reference} is PUSHING."),
        ("failed", "{reference} is ROLLED_BACK."),
    ],
)
def test_only_what_is_held_is_said_to_be_held(world: World, key: str, says: str) -> None:
    change = world.changes[key]
    told = changes_as_text.plan(change)
    assert says.format(pk=change.pk, reference=change.reference) in told
    assert "hold it already" not in told
