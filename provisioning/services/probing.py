"""A router is asked what it can do because a person says so: at the privileged prompt, and in configuration mode too.

Configuration mode is entered at a person's word alone: it is logged, it changes the router's "last configuration change", and
somebody may hold its lock. Only objects that exist are entered, and every line is one that is not whole: none is executed.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from inventory.models import Router
from provisioning import drivers
from provisioning.drivers.base import RouterDriver, WriteUnit
from provisioning.errors import DeviceError, ParseFailure
from provisioning.models import Actor, Transcript, Verb
from provisioning.pipeline import ios
from provisioning.pipeline.change import content_digest
from provisioning.pipeline.mqc import CLASS_DEFAULT, RunningConfig
from provisioning.pipeline.platforms.capabilities import FLOW_LABEL, LINE_QUESTIONS, PERCENT, Answer, told
from provisioning.selectors.authority import permit_named
from provisioning.services import audit, capabilities, clock, credentials, leases, saving
from provisioning.services.patience import timeouts
from provisioning.services.reading import Reading, ask, read_session


def probe(*, actor: Actor, router: Router) -> tuple[Answer, ...]:
    """Ask a router what it can do, remember it, and return all that is known of it by name.

    What is asked in configuration mode needs an object to ask in (a policy-map with a class, an IPv6 access list): without one
    it stays as it was known. Raises NotPermitted, Held while another worker holds the router, Conflict while a push is half way
    there, DeviceError when it cannot be read, or shows something else afterwards than before.
    """
    permit_named(actor, Verb.READ_ROUTER)
    with leases.between_pushes(router=router, owner=f"probe/{actor.label}") as lease:
        target = credentials.for_router(router=router)
        with drivers.connect(target, timeout=timeouts()) as driver:
            transcript = Transcript.objects.create(router=router, purpose="probe")
            try:
                reading = read_session(driver, target, read_at=clock.now())
                leases.confirm(lease)
                answers = _asked(driver, reading, lease)
            except ParseFailure as error:
                raise DeviceError(f"the running-config of {router.name} cannot be read: {error}") from error
            finally:
                saving.keep_transcript(actor, router, transcript, driver)
    if answers:
        capabilities.keep(router, answers)
    with transaction.atomic():
        audit.record(
            actor=actor,
            action="router.probed",
            obj=router,
            reason="asked what it can do",
            after={answer.capability: answer.can for answer in answers},
        )
    return capabilities.known(router)


def _asked(driver: RouterDriver, reading: Reading, lease: leases.Lease) -> tuple[Answer, ...]:
    answers = {each.capability: each for each in ask(driver, reading.text, reading.version, reading.read_at)}
    for capability, way in _ways(reading.config):
        units = [WriteUnit((line,)) for line in (*way, LINE_QUESTIONS[capability])]
        replies = list(driver.configure(units, lambda _index, **_closing: leases.confirm(lease)))
        last = replies[-1]
        said = "\n".join(last.replies)
        if last.unit_index != len(units) - 1:
            said = f"not asked: {last.refused}"
        elif last.refused is None:
            raise DeviceError(
                f"{reading.router} took `{LINE_QUESTIONS[capability]}`, which is not whole: look what is in {' / '.join(way)}"
            )
        found = told(capability, LINE_QUESTIONS[capability], said, ios=reading.version, at=reading.read_at)
        if found.can is not None or capability not in answers:
            answers[capability] = found
    seen = ios.parse(driver.running_config())
    places = {*seen.interfaces, *reading.config.interfaces}
    if content_digest(seen, places) != content_digest(reading.config, places):
        raise DeviceError(
            f"{reading.router} shows something else than before it was asked: somebody types there"
        )
    return tuple(answers.values())


def _ways(config: RunningConfig) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The lines that lead to where each question can be asked: into what no interface has bound, where there is such a one."""
    bound = {each.policy for each in config.bindings}
    policies = sorted(config.policy_maps, key=lambda name: (name in bound, name))
    name = next((name for name in policies if config.policy_maps[name].classes), None)
    if name is not None:
        classes = [entry.name for entry in config.policy_maps[name].classes]
        within = CLASS_DEFAULT if CLASS_DEFAULT in classes else classes[0]
        yield PERCENT, (f"policy-map {name}", f"class {within}")
    lists = sorted(each for each, held in config.access_lists.items() if held.family == 6 and held.entries)
    if lists:
        yield FLOW_LABEL, (f"ipv6 access-list {lists[0]}",)
