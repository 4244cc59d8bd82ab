"""One set of practice routers for the whole room; every test leaves them without faults."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from provisioning.drivers import Timeouts
from tests.drivers.practice import Practice, practice_routers

QUICK = Timeouts(connect=30, reply=4, settle=0.02, attempts=1)


@pytest.fixture(scope="session")
def routers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    with practice_routers(tmp_path_factory.mktemp("lab")) as practice:
        yield practice


@pytest.fixture
def practice(routers: Practice) -> Iterator[Practice]:
    yield routers
    routers.control.call("clear")


@pytest.fixture
def quick() -> Timeouts:
    """One try, and a reply that is not waited for long: for a test of what happens when none comes."""
    return QUICK


@pytest.fixture(params=["netmiko", "asyncssh"])
def driver(request: pytest.FixtureRequest) -> str:
    """Each way in: what is said over the session is the same code, what carries it is not."""
    return str(request.param)
