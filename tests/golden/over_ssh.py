"""Practice routers for golden cases: one for each, somebody else's objects on it, lines pushed as the service pushes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from provisioning.drivers import RouterDriver, Timeouts, WriteUnit
from provisioning.pipeline.diff import Line, write_units
from tests.drivers.practice import Practice, practice_routers
from tests.pipeline.practice import KINDS, PORTS
from tests.pipeline.worlds import FOREIGN

PATIENCE = Timeouts(connect=30, settle=0.02, binding_settle=0.24)


@contextmanager
def routers_of(directory: Path, kinds: Mapping[str, str]) -> Iterator[Practice]:
    """Running routers by name, each of the kind given and with `FOREIGN` typed on it."""
    specs: dict[str, dict[str, object]] = {
        name: {
            "platform": platform,
            "ios": release,
            "engines": {"1": 3, "2": 3, "3": 3, "5": 3},
            "ssh_profile": "legacy",
            "interfaces": PORTS,
        }
        for name, (platform, release) in ((name, KINDS[kind]) for name, kind in kinds.items())
    }
    with practice_routers(directory, specs) as practice:
        for name in specs:
            type_at(practice, name, FOREIGN.splitlines())
        yield practice


def type_at(practice: Practice, name: str, lines: Iterable[str]) -> None:
    """Another hand at the console: how a case gets to where it begins. Nothing of it is refused."""
    typed = [line.strip() for line in lines]
    replies = practice.control.call("configure", router=name, lines=typed)["replies"]
    assert isinstance(replies, list)
    assert not [reply for reply in replies if reply], list(zip(typed, replies, strict=True))


def push(session: RouterDriver, lines: Sequence[Line]) -> None:
    """Send the lines as a push does; every one of them arrives and none is refused."""
    units = [WriteUnit(tuple(line.text for line in unit)) for unit in write_units(lines)]
    replies = list(session.configure(units, lambda index: None))
    assert [reply.refused for reply in replies] == [None] * len(units)
    assert [line for reply in replies for line in reply.sent] == [line.text for line in lines]
