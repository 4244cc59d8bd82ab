"""How long a router is waited for, as the operator set it: the one place where settings become waits."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from provisioning.drivers import Timeouts


def timeouts() -> Timeouts:
    """The waits of one session: none longer than `ROUTER_TIMEOUT_SECONDS`; after a binding the router is listened
    to for `ROUTER_LATE_SECONDS`, because a line card refuses after the prompt (ios-facts 2.2).
    """
    return replace(
        Timeouts.bounded_by(settings.ROUTER_TIMEOUT_SECONDS),
        settle=settings.ROUTER_QUIET_SECONDS,
        binding_settle=settings.ROUTER_LATE_SECONDS,
    )
