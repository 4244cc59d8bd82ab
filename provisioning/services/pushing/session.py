"""One session with one router on behalf of one push, and the only way it may write down what it decides."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction

from provisioning.drivers.base import RouterDriver, Target
from provisioning.errors import DeviceError, ParseFailure, SaveRefused, SessionLost
from provisioning.models import RouterPush, Transcript
from provisioning.pipeline import ios
from provisioning.pipeline.change import ChangePlan, Place
from provisioning.pipeline.mqc import RunningConfig
from provisioning.pipeline.platforms import Profile
from provisioning.pipeline.states import PushState
from provisioning.selectors.changes import BARE, UNRECOGNISED
from provisioning.services import bare, clock, leases
from provisioning.services.closing import OVER
from provisioning.services.leases import Lease
from provisioning.services.pushing import recording
from provisioning.services.reading import Reading, read_session

SAVE_SESSIONS = 4  # of one push; after so many that were lost at `write memory` it is verified and NOT saved
FOLLOWED = frozenset({BARE, UNRECOGNISED})
"""Codes of a push that is UNKNOWN from which something follows: its router is read at once."""


@dataclass
class Session:
    """A push at work over an open session; `reading` is what the router showed when it opened."""

    push: RouterPush
    plan: ChangePlan
    lease: Lease
    driver: RouterDriver
    target: Target
    profile: Profile
    reading: Reading
    transcript: Transcript
    late: str = ""
    """What a line card said against a binding after its prompt, heard before the last look."""

    @property
    def length(self) -> int:
        return len(self.plan.commands)

    @cached_property
    def interfaces(self) -> tuple[str, ...]:
        """The interfaces that the inventory has of the router: the same ones before the first line and after the last."""
        return tuple(self.push.router.interfaces.values_list("name", flat=True))

    @cached_property
    def before(self) -> RunningConfig:
        """What the router held before the first line, as stored then; asked for only when that is stored."""
        assert self.push.before is not None
        return ios.parse(self.push.before.text)

    def look(self) -> RunningConfig:
        """Read the running-config again; raises DeviceError when it cannot be read."""
        recording.write_transcript(self.transcript, self.driver.transcript)
        self._hear()
        try:
            seen = ios.parse(self.driver.running_config())
        except ParseFailure as error:
            raise DeviceError(f"the running-config of {self.target.name} cannot be read: {error}") from error
        self.watch(seen)
        return seen

    def _hear(self) -> None:
        """What a look shows must be what is left when every line card has spoken."""
        self.late = self.driver.heard_late() or self.late

    def watch(self, seen: RunningConfig) -> list[Place]:
        """The places of the plan's swaps that have no policy now: those are said, and what has one again is lifted, provided
        that the router is still ours."""
        left = bare.without_policy(bare.swapped(self.plan), seen)
        if left or bare.is_any(self.push.router):
            with transaction.atomic():
                leases.confirm(self.lease)
                bare.look(self.push.router, seen)
                bare.note(self.push, left)
        return left

    def read(self) -> Reading:
        """Read everything again, as for a plan; raises DeviceError when it cannot be read."""
        self._hear()
        reading = read_whole(self.driver, self.target)
        self.watch(reading.config)
        return reading

    def save(self) -> None:
        """`write memory`. Raises SaveRefused, also where every session is lost at it: after so many it is not tried again."""
        try:
            self.driver.save()
        except SessionLost as error:
            if (sessions := recording.tries(self.push)) < SAVE_SESSIONS:
                raise
            raise SaveRefused(
                f"no answer in {sessions} sessions, it may have been written: {error}"
            ) from error

    def move(self, to_state: PushState, reason: str, **fields: Any) -> None:
        """Move the push, provided that the router is still ours: see `move_held`."""
        move_held(self.push, self.lease, to_state, reason, **fields)


def read_whole(driver: RouterDriver, target: Target) -> Reading:
    """A whole look at a router; a running-config that cannot be parsed is a DeviceError here."""
    try:
        return read_session(driver, target, read_at=clock.now())
    except ParseFailure as error:
        raise DeviceError(f"the running-config of {target.name} cannot be read: {error}") from error


def move_held(push: RouterPush, lease: Lease, to_state: PushState, reason: str, **fields: Any) -> None:
    """Move a push along the table in the transaction in which its lease is confirmed.

    A worker that stood still while another took over may hold an old reading and an old session; what it makes of
    them must not overwrite what its successor finds. Raises LeaseLost, StaleState.
    """
    with transaction.atomic():
        leases.confirm(lease)
        recording.move(push, to_state, reason, **fields)
        if to_state in OVER or fields.get("error_code") in FOLLOWED:
            recording.note_end(push)


def unknown_held(push: RouterPush, lease: Lease, reason: str, **fields: Any) -> None:
    """Say that what the router holds is unknown, and why; a push that was UNKNOWN before gets the newer fields."""
    if PushState(push.state) is not PushState.UNKNOWN:
        move_held(push, lease, PushState.UNKNOWN, reason, **fields)
        return
    with transaction.atomic():
        leases.confirm(lease)
        if fields:
            RouterPush.objects.filter(pk=push.pk).update(**fields)
        if fields.get("error_code") in FOLLOWED:
            recording.note_end(push)
    push.refresh_from_db()
