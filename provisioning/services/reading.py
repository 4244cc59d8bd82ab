"""Reading routers: one whole look at a router as a value, or why there is none. No database in here.

A `Reading` holds the raw running-config (secrets and all) in memory only as long as it takes to parse it; what is kept
is the parsed model and the text with its secrets removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime

from provisioning import drivers
from provisioning.drivers.base import Facts, RouterDriver, Target, TranscriptLine
from provisioning.drivers.difference import unsaved_difference
from provisioning.errors import DeviceError, InvalidInput, ParseFailure, WrongRouter
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Identity, compare, compare_cards
from provisioning.pipeline.platforms.capabilities import EXEC_QUESTIONS, Answer, shown, told
from provisioning.services.clock import Clock
from provisioning.services.patience import timeouts

AT_ONCE = (
    32  # SSH sessions opened side by side: waiting is what takes the time, and two dozen routers wait alike
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a router showed in one session; `bandwidths` is BW in bit/s by interface, `up` whether its line is.

    ``read_at`` is when the reading began, by the database's clock: nothing in it is older. ``remarks`` are what of itself it
    says otherwise than the inventory, where that changes nothing of its lines.
    """

    router: str
    text: str
    config: RunningConfig
    bandwidths: Mapping[str, int]
    enabled: Mapping[str, bool]
    serial: str
    version: str
    host_key: str
    unsaved: tuple[str, ...]
    read_at: datetime
    remarks: tuple[str, ...] = ()
    transcript: tuple[TranscriptLine, ...] = ()
    up: Mapping[str, bool] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A router that was not read, and why: it counts as unknown, never as unchanged.

    ``read_at`` is when it was tried, as in `Reading`; None where nobody tried. ``said`` is what another router said of itself
    (serial, platform, ios), None where none answered.
    """

    router: str
    code: str
    reason: str
    read_at: datetime | None = None
    said: Mapping[str, str] | None = None


def read_session(driver: RouterDriver, target: Target, *, read_at: datetime, cards: bool = False) -> Reading:
    """Read everything a plan or a check needs over an open session, its line cards with ``cards``, if the inventory has any.

    ``read_at`` is a moment before this call, by the database's clock. Raises WrongRouter for one that is not the inventory's,
    before anything of it is read; else DeviceError or ParseFailure.
    """
    facts = driver.facts()
    remarks = recognise(driver, target, facts, cards=cards)
    seen = driver.shown()
    interfaces, raw = seen.interfaces, seen.running
    config = ios.parse(raw)
    hidden = [fact.name for fact in interfaces if fact.name not in config.interfaces]
    if interfaces and len(hidden) == len(interfaces):
        # What a user of too low a privilege is shown: whole, with its `end`, and without what matters.
        raise ParseFailure(
            f"it shows none of the {len(interfaces)} interfaces the router has; may {target.username} see all of it?"
        )
    return Reading(
        router=target.name,
        text=ios.redact(raw),
        config=config,
        bandwidths={fact.name: fact.bw_bps for fact in interfaces if fact.bw_bps is not None},
        enabled={fact.name: fact.admin_up for fact in interfaces},
        serial=facts.serial,
        version=facts.version,
        host_key=target.host_key,
        unsaved=unsaved_difference(raw, seen.startup),
        up={fact.name: fact.line_up for fact in interfaces},
        read_at=read_at,
        remarks=remarks,
        answers=() if target.asked_of in (None, facts.version) else ask(driver, raw, facts.version, read_at),
    )


def ask(driver: RouterDriver, running: str, ios: str, at: datetime) -> tuple[Answer, ...]:
    """What the router says it can do, at the privileged prompt and by its running-config; nothing where the session ends."""
    try:
        said = driver.ask(tuple(EXEC_QUESTIONS.values()))
    except DeviceError:
        return ()  # the reading stands; the router is asked with the next one
    asked = zip(EXEC_QUESTIONS.items(), said, strict=True)
    answers = [told(capability, command, text, ios=ios, at=at) for (capability, command), text in asked]
    return (*answers, *shown(running, ios=ios, at=at))


def recognise(driver: RouterDriver, target: Target, facts: Facts, *, cards: bool) -> tuple[str, ...]:
    """What the router says otherwise than the inventory and may; raises WrongRouter for what it may not."""
    said = Identity(facts.platform_text, facts.version, facts.serial)
    found = compare(Identity(target.platform, target.ios, target.serial), said)
    against, remarks = found.contradictions, found.remarks
    if cards and target.engines and not against:
        found = compare_cards(dict(target.engines), driver.engines())
        against, remarks = found.contradictions, (*remarks, *found.remarks)
    if against:
        raise WrongRouter(
            f"this is not {target.name} as the inventory has it: {'; '.join(against)}",
            said={"serial": said.serial, "platform": said.platform, "ios": said.ios},
        )
    return remarks


def read(target: Target, clock: Clock) -> Reading | Unread:
    """Open a session, read the router, close it; what goes wrong on the way is the answer."""
    began = clock()
    try:
        with drivers.connect(target, timeout=timeouts()) as driver:
            return read_session(driver, target, read_at=began, cards=True)
    except WrongRouter as error:
        return Unread(target.name, error.code, error.reason, began, error.said)
    except DeviceError as error:
        return Unread(target.name, error.code, error.reason, began)
    except ParseFailure as error:
        return Unread(target.name, error.code, f"its running-config cannot be read: {error}", began)
    except InvalidInput as error:
        return Unread(target.name, error.code, f"it cannot be addressed: {error.reason}", began)


def read_all(targets: Sequence[Target], clock: Clock) -> dict[str, Reading | Unread]:
    """Read several routers side by side; every one of them is in the answer."""
    if not targets:
        return {}
    targets = [replace(target, among=len(targets)) for target in targets]
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(targets)), thread_name_prefix="read") as pool:
        return {answer.router: answer for answer in pool.map(lambda target: read(target, clock), targets)}
