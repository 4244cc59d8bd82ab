"""Whether a router is still what a plan was approved for. Anything else means STALE, with the reason in words."""

from __future__ import annotations

from provisioning.models import RouterPush
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan, Circumstances, Phase, Scope
from provisioning.pipeline.intent import RouterIntent
from provisioning.pipeline.mqc import RunningConfig, digest
from provisioning.pipeline.platforms import profile
from provisioning.pipeline.safety import simulate
from provisioning.selectors.plans import plan_of
from provisioning.services.intents import Wanted
from provisioning.services.reading import Reading


def circumstances(reading: Reading, intent: RouterIntent, wanted: Wanted) -> Circumstances:
    """What besides the configuration a plan depends on, as it is now."""
    return Circumstances(
        serial=reading.serial,
        host_key=reading.host_key,
        intent_revision=intent.revision,
        scheme_digest=wanted.scheme_digest,
        template_digest=wanted.template_digest,
        bandwidths={name: bps for name, bps in reading.bandwidths.items() if name in intent.managed},
    )


def moved(push: RouterPush, reading: Reading, wanted: Wanted, plan: ChangePlan | None = None) -> str:
    """Return in what way a router is no longer as approved; empty when the approved fingerprint still holds. `plan` is that of
    the push, where somebody has just read it.
    """
    plan = plan or plan_of(push)
    if push.router.name in wanted.unbuildable:
        return f"what it is to hold cannot be worked out: {wanted.unbuildable[push.router.name]}"
    intent = wanted.intents[push.router.name]
    if plan.fingerprint_now(reading.config, circumstances(reading, intent, wanted)) == plan.fingerprint:
        return ""
    return "; ".join(_named(push, plan, reading, intent)) or "its fingerprint is not the approved one"


def _named(push: RouterPush, plan: ChangePlan, reading: Reading, intent: RouterIntent) -> list[str]:
    """What a person can look at. What is not named here (intent, scheme, templates) is named by the gate."""
    planned = push.before
    assert planned is not None
    differences = []
    if planned.serial != reading.serial:
        differences.append(
            f"another router answers: serial {reading.serial or 'none'}, planned {planned.serial}"
        )
    if planned.host_key != reading.host_key:
        differences.append("another host key is pinned than when this was planned")
    for name, bps in sorted(planned.bandwidths.items()):
        now = reading.bandwidths.get(name)
        if name in intent.managed and now != bps:
            differences.append(f"BW of {name} is {now} bit/s, planned {bps}")
    expected = contents(expected_base(push), plan.scope)
    seen = contents(reading.config, plan.scope)
    for key in sorted(expected.keys() | seen.keys()):
        if expected.get(key) == seen.get(key):
            continue
        what = "is new" if key not in expected else "is gone" if key not in seen else "was changed"
        differences.append(f"{key} {what} since the plan was made")
    return differences


def expected_base(push: RouterPush) -> RunningConfig:
    """What the router must hold before this push: as read for the plan, after the earlier phases of the change.

    The phases of one router are planned together, each against the predicted outcome of the one before.
    """
    assert push.before is not None
    known = profile(push.router.platform, push.router.ios)
    config = ios.parse(push.before.text, known)
    own = Phase(push.phase).position
    earlier = [
        other
        for other in push.change.pushes.filter(router=push.router).exclude(pk=push.pk)
        if other.has_plan and Phase(other.phase).position < own
    ]
    for other in sorted(earlier, key=lambda each: Phase(each.phase).position):
        states = simulate(config, plan_of(other).commands, known)
        config = states[-1] if states else config
    return config


def contents(config: RunningConfig, scope: Scope) -> dict[str, str]:
    """What a router holds of a plan's scope, as "kind name" -> digest, or policy for a place where one is bound."""
    groups = {
        "access-list": config.access_lists,
        "class-map": config.class_maps,
        "policy-map": config.policy_maps,
    }
    found = {
        f"{kind} {name}": digest(groups[kind][name]) for kind, name in scope.objects if name in groups[kind]
    }
    for binding in config.bindings:
        if binding.interface in scope.interfaces:
            where = binding.interface if binding.pvc is None else f"{binding.interface} pvc {binding.pvc}"
            found[f"service-policy {binding.direction} on {where}"] = binding.policy
    return found
