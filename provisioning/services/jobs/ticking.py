"""When one process looks for what is due."""

from __future__ import annotations

import math
import time

from django.conf import settings

from provisioning.services import heartbeats, versions
from provisioning.services.apart import apart
from provisioning.services.jobs.due import tick, tick_after_jobs

SPACING_SECONDS = 0.1
"""However many jobs end, what they made due is looked for no more often than this."""
PART = 0.1
"""Of its time that a process spends on that, at most: of a change of thousands of routers one look takes longer."""
_NEARLY = 0.9
"""Of the time between two ticks: so lately another must have ticked."""
_SLACK = 0.05
"""Seconds between the sign of life at the end of the own tick and its return: it is not taken for that of another."""


class Ticks:
    """All that is due every `TICK_SECONDS`, by whichever process comes first, and at once where a job ended and no other is under
    way, unless such looks take more than their `PART`: other processes are at work. What a job that ended may have made due is
    looked for as soon as it has, but for as many that end at nearly the same time once.

    `in_haste`: somebody waits for the end of all that is due.
    """

    def __init__(self, *, serves: bool, in_haste: bool = False) -> None:
        self._serves, self._in_haste = serves, in_haste
        self._last = self._whole_at = self._idle_at = self._ticked_at = -math.inf
        self._took = 0.0
        self._news = False
        self.owed = serves
        """Whether a job ended after the last look at all that is due began, or there was none yet."""

    def ended(self) -> None:
        """A job ended: it may have made something due."""
        self.owed = self._news = self._serves

    def pause(self, *, idle: bool) -> float:
        """Seconds until there is something to look for, `TICK_SECONDS` at most."""
        if not self._serves:
            return float(settings.TICK_SECONDS)
        at = self._whole_at
        if self._news:
            # Where no job is under way it takes time from none.
            at = min(at, self._last + (SPACING_SECONDS if idle else max(SPACING_SECONDS, self._took / PART)))
        if idle and self.owed:
            at = min(at, max(self._last + SPACING_SECONDS, self._idle_at))
        return max(0.0, at - time.monotonic())

    def look(self, *, idle: bool) -> None:
        """Look for what is due, if it is time to; `idle`: no job is under way here. Raises what `tick` raises."""
        if not self._serves or self.pause(idle=idle) > 0:
            return
        self._last = time.monotonic()
        self._took = 0.0
        news, self._news = self._news, False
        with apart("tick"):
            at_rest = idle and self.owed and self._last >= self._idle_at
            if at_rest or (self._last >= self._whole_at and not self._another_ticked()):
                self._whole_at, self.owed = self._last + settings.TICK_SECONDS, False
                tick()
                self._ticked_at = now = time.monotonic()
                if not self._in_haste:
                    self._idle_at = now + (now - self._last) / PART
            elif news:
                tick_after_jobs()
                self._took = time.monotonic() - self._last

    def _another_ticked(self) -> bool:
        """Whether another process looked for all that is due a moment ago, and after this one did: it is due once, however many
        would look."""
        self._whole_at = self._last + settings.TICK_SECONDS
        versions.check()
        since = time.monotonic() - self._ticked_at - _SLACK
        return heartbeats.ticked_within(min(settings.TICK_SECONDS * _NEARLY, since))
