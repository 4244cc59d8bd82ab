"""A small backbone with practice routers over real SSH, and the people who work on it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from provisioning.services import pushing
from tests.services.backbone import Backbone, build, build_live
from tests.services.lock_order import observed
from tests.services.requests.sixnet import import_sixnet, noc


@pytest.fixture
def backbone(transactional_db: None, _patient: None) -> Iterator[Backbone]:
    """uk6 and nl6 (12000) and gr6 (7200), each a practice router with nothing of ours on it."""
    yield from _started(build)


@pytest.fixture
def live(transactional_db: None, _patient: None) -> Iterator[Backbone]:
    """As `backbone`, with the baseline on every router."""
    yield from _started(build_live)


@pytest.fixture
def filtered(transactional_db: None, _patient: None) -> Iterator[Backbone]:
    """As `live`; JANET's and SURFnet's links are filtered while a reservation sends from them."""
    yield from _started(partial(build_live, filtered=("JANET", "SURFnet")))


@pytest.fixture
def _patient(settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here waits for one of these to run out; short ones would, on a machine that is busy with something else."""
    settings.PUSH_ENABLED = True
    settings.ROUTER_TIMEOUT_SECONDS = 60
    settings.ROUTER_LEASE_SECONDS = 60
    settings.JOB_LEASE_SECONDS = 60
    settings.TICK_SECONDS = 1
    monkeypatch.setattr(pushing, "PAUSE_SECONDS", 0.05)  # a practice router's vty needs no moment


def _started(start: Callable[[Path], Backbone]) -> Iterator[Backbone]:
    # A unix socket's path is short; pytest's own directories are not.
    with tempfile.TemporaryDirectory(prefix="xp-") as directory:
        made = start(Path(directory))
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture
def six_for_all(transactional_db: None) -> None:
    """6NET as every connection sees it, and two people of its NOC."""
    import_sixnet()
    noc("nora")
    noc("niels")


@pytest.fixture(autouse=True)
def _locks_in_order(request: pytest.FixtureRequest, _django_db_marker: None) -> Iterator[None]:
    """Whatever a test of a service does: no lock is taken against the order (services/locking.py).

    The database first, so that it is emptied when nobody watches any more.
    """
    if "_django_db_helper" in request.fixturenames:
        request.getfixturevalue("_django_db_helper")
    with observed() as observer:
        yield
    if request.node.get_closest_marker("one_transaction") is None:
        assert observer.faults == []
