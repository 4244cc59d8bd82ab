"""Service-policies of a router: put on and taken off, edited while they are on, met by traffic.

Who looks at one line (`lab.attach`) says whether a policy may be there; here it comes on, comes off by itself, and is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping

from lab.attach import Judgement, judge, local_refusal
from lab.counters import Flow, Table, offer
from lab.errors import Refusal, SpecError
from lab.mode import Login, Router
from lab.store import Point, PolicyMap


def attach(session: Login, point: Point, name: str) -> str:
    """``service-policy input|output NAME``; raises Refusal."""
    router = session.device
    policies = router.config.policies_at(point)
    present = policies.get(point[2])
    if present is not None:
        if present == name and router.spec.train.reattach_same == "silent":
            return ""
        raise Refusal(f"Policy map {present} is already attached")  # ios-facts 2.8
    policy = router.config.policy_maps.get(name)
    if policy is None:
        raise Refusal(f"% policy map {name} not configured")
    judgement = _judge(router, point, policy)
    if judgement is not None:
        if judgement.slot is None:
            raise Refusal(judgement.text)
        _slot_says(router, session, judgement)
        return ""
    policies[point[2]] = name
    router.counters[point] = {}
    _note(router, point, name)
    _vanish_later(router, point, name)
    return ""


def detach(router: Router, point: Point) -> None:
    """Take whatever policy is there off."""
    if router.config.policies_at(point).pop(point[2], None) is not None:
        _note(router, point, None)
    router.counters.pop(point, None)


def detach_named(router: Router, point: Point, name: str | None) -> str:
    """``no service-policy input [NAME]``; another name than the attached one changes nothing."""
    present = router.config.policies_at(point).get(point[2])
    if present is None or (name is not None and name != present):
        raise Refusal(f"% policy map {name or ''} is not attached".replace("  ", " "))
    detach(router, point)
    return ""


def commit(router: Router, draft: PolicyMap) -> str:
    """Put an edited policy-map in force; where it no longer fits, it comes off or the edit is refused (ios-facts 2.8)."""
    text = local_refusal(draft)
    if text:
        raise Refusal(text)
    before = router.config.policy_maps[draft.name]
    router.config.policy_maps[draft.name] = draft
    points = router.config.uses(draft.name)
    bad = next((found for point in points if (found := _judge_point(router, point))), None)
    if bad is None:
        return ""
    if router.spec.train.shared_edit == "refuse":
        router.config.policy_maps[draft.name] = before
        raise Refusal(bad.text)
    for point in points:
        detach(router, point)
    if bad.slot is not None:
        _slot_says(router, None, bad)
        return ""
    return bad.text + "\n"


def recheck(router: Router, interface: str) -> str:
    """The bandwidth of an interface changed: a policy that no longer fits comes off (ios-facts 1.4)."""
    said: list[str] = []
    for point, _name in list(router.config.attachments()):
        if point[0] == interface or point[0].startswith(interface + "."):
            bad = _judge_point(router, point)
            if bad is not None:
                detach(router, point)
                said.append(bad.text)
    return "".join(f"{text}\n" for text in said)


def traffic(router: Router, point: Point, packets: list[Mapping[str, object]], seconds: float) -> Table:
    """Send traffic through the policy at the point; returns its counters. Raises SpecError."""
    if point[0] not in router.config.interfaces:
        raise SpecError("interface", f"{point[0]} does not exist")
    pvcs = router.config.interfaces[point[0]].pvcs
    if point[1] is None and len(pvcs) == 1 and not router.config.interfaces[point[0]].policies:
        point = (point[0], next(iter(pvcs)), point[2])
    name = router.config.policies_at(point).get(point[2])
    if name is None:
        raise SpecError("direction", f"no {point[2]} policy on {point[0]}")
    flows = [Flow.from_dict(index, item) for index, item in enumerate(packets)]
    if not flows or seconds <= 0:
        raise SpecError("packets", "at least one, for more than 0 seconds")
    table = router.counters.setdefault(point, {})
    offer(router.spec.train, router.config, point, router.config.policy_maps[name], table, flows, seconds)
    return table


def _judge(router: Router, point: Point, policy: PolicyMap) -> Judgement | None:
    return judge(router.spec.train, router.spec.engines, router.config, point, policy)


def _judge_point(router: Router, point: Point) -> Judgement | None:
    name = router.config.policies_at(point)[point[2]]
    return _judge(router, point, router.config.policy_maps[name])


def _slot_says(router: Router, session: Login | None, judgement: Judgement) -> None:
    """The line card's refusal comes after the prompt (ios-facts 2.2)."""
    text = f"SLOT {judgement.slot}:{router.short_stamp()}: {judgement.text}"
    router.syslog.append(text)
    everyone = router.spec.train.slot_refusal == "after-prompt"
    for item in {*router.sessions, *([session] if session else [])}:
        if item.console or item.monitor or (everyone and (item is session or session is None)):
            item.say_later(text)


def _vanish_later(router: Router, point: Point, name: str) -> None:
    fault = router.faults.has("vanish")
    if fault is None or fault.interface != point[0] or fault.direction not in ("", point[2]):
        return
    router.faults.take("vanish")

    def vanish() -> None:
        if router.config.policies_at(point).get(point[2]) == name:
            detach(router, point)

    router.timers.add(router.clock() + fault.seconds, vanish, "vanish")


def _note(router: Router, point: Point, policy: str | None) -> None:
    """Remember when a service-policy came on or went off: ``line`` is the place of the line in ``history``."""
    interface, pvc, direction = point
    router.journal.append(
        {
            "at": router.clock(),
            "line": len(router.history),
            "interface": interface,
            "pvc": pvc,
            "direction": direction,
            "policy": policy,
        }
    )
