"""`auto` chooses by the change, and a whole push over asyncssh ends as one over Netmiko does."""

from __future__ import annotations

import pytest

from inventory.models import Router
from provisioning import drivers
from provisioning.drivers import Target, Timeouts
from provisioning.drivers.base import RouterDriver
from tests.services.backbone import Backbone
from tests.services.test_broken_pushes import edges_of, ready

pytestmark = pytest.mark.once


def test_a_push_by_auto_over_asyncssh_ends_verified(
    backbone: Backbone, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken: list[tuple[int, str]] = []
    connect = drivers.connect

    def noted(target: Target, *, timeout: Timeouts) -> RouterDriver:
        spoken.append((target.among, drivers.choose(target)))
        return connect(target, timeout=timeout)

    monkeypatch.setattr(drivers, "connect", noted)
    monkeypatch.setattr(drivers, "MANY_ROUTERS", {"legacy": 1, "modern": 1})
    Router.objects.update(driver="auto")
    change = ready(backbone)
    spoken.clear()
    backbone.push(change)
    assert edges_of(change).state == "VERIFIED", edges_of(change).error
    assert (change.pushes.count(), "asyncssh") in spoken and {driver for _among, driver in spoken} == {
        "asyncssh"
    }
