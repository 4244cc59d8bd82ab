"""Terminals: whatever rows hold and a server says, commands print nothing that a terminal obeys, hides or turns."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Model

from expedite_client.cli import text as client_text
from inventory.models import Nren
from provisioning.management import routers_as_text
from provisioning.models import (
    ApiToken,
    BreakGlass,
    CapacityChange,
    Change,
    Message,
    RouterPush,
    RouterSync,
    Subscriber,
)
from provisioning.selectors import topology
from tests.fuzz.reading import steering
from tests.fuzz.slots import filled
from tests.fuzz.values import SEED, Drawn
from tests.web.test_matrix import GET, address
from tests.web.world import World

As = Callable[[str], object]

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("capacity",),
    ("acknowledge",),
    ("notify",),
    ("token", "--list"),
    ("quota", "--all"),
    ("recheck", "--all"),
    ("failures",),
    ("path_moved",),
    ("chassis", "nl6"),
    ("probe", "nl6"),
    ("prune", "--dry-run"),
)
"""What shows rows and changes none."""

OF_CHANGES: tuple[tuple[str, ...], ...] = (
    ("plan", "--show"),
    ("next_step",),
    ("rehearse", "--show"),
    ("approve", "--as", "niels"),
    ("push", "--as", "niels", "--timeout", "0"),
    ("undo", "--as", "niels", "--reason", "x"),
)
FEWEST_SHOWN = 30
SHOWN = (Change, RouterPush, CapacityChange, BreakGlass, ApiToken, Subscriber, Message, RouterSync, Nren)


def said(*words: str) -> str:
    """What a command prints on both of its streams, also where it refuses."""
    out = io.StringIO()
    try:
        call_command(*words, stdout=out, stderr=out)
    except CommandError as error:
        out.write(str(error))
    except SystemExit:
        pass
    return out.getvalue()


def printed(world: World) -> Iterator[tuple[str, str]]:
    """Each command with what it printed."""
    for words in COMMANDS:
        yield " ".join(words), said(*words)
    for change in Change.objects.order_by("pk"):
        for name, *more in OF_CHANGES:
            words = (
                (name, *more, str(change.pk))
                if "--show" in more and name == "plan"
                else (name, str(change.pk), *more)
            )
            yield " ".join(words), said(*words)
    for row in RouterSync.objects.order_by("pk"):
        yield f"verify {row.router.name}", routers_as_text.sync(row)


def tried(world: World, drawn: Drawn, count: int) -> set[str]:
    """Fill the rows until so many values were placed; returns the tokens that were printed."""
    shown: set[str] = set()
    for name, (_said, kind) in GET.items():
        address(name, world, kind)  # rows that are made when they are first asked for
    while drawn.tried.get("shown", 0) < count:
        places = filled(drawn, SHOWN)
        for place in places:
            place.put(False)
        topology.forget()
        for command, text in printed(world):
            assert not steering(text), (f"FUZZ_SEED={drawn.seed}", command, steering(text))
            shown |= {place.token for place in places if place.token in text}
        drawn.count("placed", len(places))
        drawn.count("shown", len({place.token for place in places} & shown))
    return shown


def test_commands_steer_no_terminal(world: World, tampering: None) -> None:
    drawn = Drawn(SEED)
    assert len(tried(world, drawn, 1)) >= FEWEST_SHOWN, drawn.tried


@pytest.mark.parametrize(
    ("words", "model", "column"),
    [(("capacity",), CapacityChange, "reason"), (("token", "--list"), ApiToken, "name")],
)
def test_what_rows_of_before_hold_is_listed_as_escapes(
    world: World, words: tuple[str, ...], model: type[Model], column: str
) -> None:
    for name, (_said, kind) in GET.items():
        address(name, world, kind)
    model._default_manager.update(**{column: "\x1b[2Jx\u202e\xad"})
    assert r"\x1b[2Jx\u202e\xad" in said(*words)


@pytest.mark.deep
def test_commands_deeply(world: World, tampering: None) -> None:
    drawn = Drawn(SEED)
    tried(world, drawn, 1_500)
    print(f"commands: seed {drawn.seed}, {drawn.tried}; {connection.vendor}")


# Marks that join or part letters in Arabic, Persian and the scripts of India stand in words; they steer nothing.
JOINING = {"U+200B", "U+200C", "U+200D", "U+2060", "U+FEFF", "U+00AD", "U+180E", "U+FFF9", "U+E0041"}


def shown_by_the_client(drawn: Drawn, count: int) -> None:
    for value in drawn.some(count):
        where = (f"FUZZ_SEED={drawn.seed}", value[:300])
        assert not set(steering(client_text.plain(value))) - JOINING, where
        for text, lines in (
            (client_text.one_line(value), 1),
            (client_text.table(("A", "B"), [(value, 1), (2, value)]), 3),
            (client_text.facts([("name", value), ("rate", "1")]), 2),
            (client_text.instant(value), 1),
        ):
            assert len(text.splitlines() or [""]) <= lines, (*where, text[:300])
            assert not set(steering(text)) - JOINING, where
        drawn.count("shown")


def test_the_client_steers_no_terminal() -> None:
    shown_by_the_client(Drawn(SEED), 500)


@pytest.mark.deep
def test_the_client_deeply() -> None:
    drawn = Drawn(SEED)
    shown_by_the_client(drawn, 15_000)
    print(f"client: seed {drawn.seed}, {drawn.tried}")
