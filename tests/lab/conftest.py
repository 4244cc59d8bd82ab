"""One practice network for all tests over SSH of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.lab.practice import Practice


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Practice]:
    practice = Practice(tmp_path_factory.mktemp("lab"))
    yield practice
    practice.stop()


@pytest.fixture
def practice(network: Practice) -> Iterator[Practice]:
    yield network
    network.call("clear")
    for name in network.routers:
        network.call("reload", router=name)
    assert network.errors.read_text() == ""
