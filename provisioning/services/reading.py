"""Reading routers: one whole look at a router as a value, or why there is none. No database in here.

A `Reading` holds the raw running-config (secrets and all) in memory only as long as it takes to parse it; what is kept
is the parsed model and the text with its secrets removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime

from provisioning import drivers
from provisioning.drivers.base import RouterDriver, Target, TranscriptLine
from provisioning.errors import DeviceError, InvalidInput, ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig
from provisioning.services.clock import Clock
from provisioning.services.patience import timeouts

AT_ONCE = 8  # SSH sessions opened side by side: waiting is what takes the time, and nine routers wait alike


@dataclass(frozen=True, slots=True)
class Reading:
    """What a router showed in one session; `bandwidths` is BW in bit/s by interface.

    ``read_at`` is when the reading began, by the database's clock: nothing in it is older.
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
    transcript: tuple[TranscriptLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Unread:
    """A router that was not read, and why: it counts as unknown, never as unchanged.

    ``read_at`` is when it was tried, as in `Reading`; None where nobody tried.
    """

    router: str
    code: str
    reason: str
    read_at: datetime | None = None


def read_session(driver: RouterDriver, target: Target, *, read_at: datetime) -> Reading:
    """Read everything a plan or a check needs over an open session. Raises DeviceError or ParseFailure.

    ``read_at`` is a moment before this call, by the database's clock.
    """
    facts = driver.facts()
    interfaces = driver.interfaces()
    raw = driver.running_config()
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
        unsaved=driver.unsaved_difference(raw),
        read_at=read_at,
    )


def read(target: Target, clock: Clock) -> Reading | Unread:
    """Open a session, read the router, close it; what goes wrong on the way is the answer."""
    began = clock()
    try:
        with drivers.connect(target, timeout=timeouts()) as driver:
            return read_session(driver, target, read_at=began)
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
    with ThreadPoolExecutor(max_workers=min(AT_ONCE, len(targets)), thread_name_prefix="read") as pool:
        return {answer.router: answer for answer in pool.map(lambda target: read(target, clock), targets)}
