"""What is typed on a router, and the packs that an NREN runs as root: a value makes no line more and no comment, or is
refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from inventory.models import AccessLink
from provisioning.errors import InvalidInput
from provisioning.models import PremiumRequest
from provisioning.pipeline.mqc import (
    AccessEntry,
    AccessList,
    Binding,
    ChildPolicy,
    ClassMap,
    Match,
    OpaqueAction,
    PolicyClass,
    PolicyMap,
    QueueLimit,
    SetField,
)
from provisioning.pipeline.rendering import MqcObject, Renderer
from provisioning.selectors.packs import pack_for
from provisioning.selectors.templates import ios_environment
from tests.fuzz.reading import steering
from tests.fuzz.values import SEED, Drawn, harmless, storable
from tests.web.world import World

RENDERER = Renderer(ios_environment())
A_CLASS = (PolicyClass("EF", frozenset({SetField("dscp", 46)})),)
ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"

PLACES: dict[str, Callable[[str], MqcObject]] = {
    "description of a class": lambda said: ClassMap("EF", "match-all", frozenset({Match("any")}), said),
    "description of a policy": lambda said: PolicyMap("P", A_CLASS, said),
    "remark": lambda said: AccessList("L", 6, (AccessEntry(10, f"remark {said}"),)),
    "name of a class": lambda said: ClassMap(said, "match-all", frozenset({Match("any")})),
    "name of a policy": lambda said: PolicyMap(said, A_CLASS),
    "name of a list": lambda said: AccessList(said, 4, (AccessEntry(10, "permit ip any any"),)),
    "class in a policy": lambda said: PolicyMap("P", (PolicyClass(said, A_CLASS[0].actions),)),
    "entry": lambda said: AccessList("L", 6, (AccessEntry(10, said),)),
    "list in a match": lambda said: ClassMap("EF", "match-all", frozenset({Match("access-group", frozenset({said}))})),
    "match": lambda said: ClassMap("EF", "match-all", frozenset({Match("opaque", frozenset({said}))})),
    "line of a class": lambda said: ClassMap("EF", "match-all", frozenset({Match("any")}), "", frozenset({said})),
    "line of a policy": lambda said: PolicyMap("P", (PolicyClass("EF", frozenset({OpaqueAction(said)})),)),
    "child": lambda said: PolicyMap("P", (PolicyClass("EF", frozenset({ChildPolicy(said)})),)),
    "unit of a queue": lambda said: PolicyMap("P", (PolicyClass("EF", frozenset({QueueLimit(4, said)})),)),
    "interface": lambda said: Binding(said, None, "input", "P"),
    "PVC": lambda said: Binding("ATM1/0", said, "input", "P"),
    "bound policy": lambda said: Binding("POS1/0", None, "input", said),
}  # fmt: skip
"""Each place of a template that takes a word, with the object that has a value there."""


def printed(place: str, said: str) -> tuple[str, ...] | None:
    """The lines of the object with these words; None where they are refused."""
    try:
        return RENDERER.lines(PLACES[place](said))
    except InvalidInput:
        return None


def tried(drawn: Drawn, count: int) -> None:
    """Put so many values into places; fails at the first that is more than the words of its line."""
    draw = random.Random(drawn.seed)
    for value in drawn.some(count):
        place = draw.choice(list(PLACES))
        said = f"x {value}" if draw.random() < 0.3 and "name" not in place else value
        lines = printed(place, said)
        where = (f"FUZZ_SEED={drawn.seed}", place, said[:300])
        if lines is None:
            drawn.count("refused")
            continue
        drawn.count("printed")
        sent = "\n".join(lines).encode()  # what goes over the wire: no half of a pair
        plain = printed(place, harmless(said).replace("\ud800", "x"))
        assert plain is None or len(plain) >= len(lines), (*where, lines)
        text = "\n".join(lines)
        assert len(text.splitlines()) == len(lines) == sent.count(b"\n") + 1, (*where, lines)
        controls = {
            each for each in steering(text) if int(each[2:], 16) < 0xA0 or each in ("U+2028", "U+2029")
        }
        assert not controls and "?" not in text, (*where, lines, controls)
        # A `!` is a comment to IOS wherever it stands, but in the words of a description or a remark.
        free = "description" in place or place in ("remark", "entry")
        assert free or "!" not in text, (*where, lines)
        assert not any(line.lstrip().startswith("!") for line in lines), (*where, lines)


def test_a_value_on_a_router_is_one_line_or_refused() -> None:
    drawn = Drawn(SEED)
    tried(drawn, 600)
    assert drawn.tried["printed"] > 20 < drawn.tried["refused"], drawn.tried


@pytest.mark.deep
def test_routers_deeply() -> None:
    drawn = Drawn(SEED)
    tried(drawn, 40_000)
    print(f"routers: seed {drawn.seed}, {drawn.tried}")


def packed(world: World, drawn: Drawn, count: int) -> None:
    """Make packs of a request whose links are called so; whatever they are called, only comments name them."""
    asked = world.requests["active"]
    links = [asked.source_link_id, asked.destination_link_id]
    while drawn.tried.get("packed", 0) < count:
        made = []
        values = [storable(drawn.one(), 190) for _ in links]
        for plain in (False, True):
            for number, (key, value) in enumerate(zip(links, values, strict=True)):
                name = f"{harmless(value) if plain else value}{number}"
                AccessLink.objects.filter(pk=key).update(name=name)
            request = PremiumRequest.objects.get(pk=asked.pk)
            made.append({kind: pack_for(request, kind) for kind in ("ios", "linux")})
        for kind, comment in (("ios", "!"), ("linux", "#")):
            mine, plain_one = made[0][kind], made[1][kind]
            where = (f"FUZZ_SEED={drawn.seed}", kind, values)
            assert mine.filename == plain_one.filename and mine.undo == plain_one.undo, where
            assert not steering(mine.text) and mine.text.isascii(), where
            lines, others = mine.text.splitlines(), plain_one.text.splitlines()
            assert len(lines) == len(others), where
            for line, other in zip(lines, others, strict=True):
                assert line == other or line.startswith(comment), (*where, line)
        drawn.count("packed", len(values))


def test_a_pack_holds_no_words_but_in_comments(world: World) -> None:
    packed(world, Drawn(SEED), 60)


@pytest.mark.deep
def test_packs_deeply(world: World) -> None:
    drawn = Drawn(SEED)
    packed(world, drawn, 2_000)
    print(f"packs: seed {drawn.seed}, {drawn.tried}")
