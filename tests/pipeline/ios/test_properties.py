"""parse(any spelling of a model) is the model, for models hypothesis makes up and a printer of the tests'
own.
"""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import AccessList, ClassMap, PolicyMap, canonical_json, digest
from tests.pipeline.ios import models
from tests.pipeline.ios.printer import Printer
from tests.pipeline.properties import OF_ROUTERS, PROPERTY


@st.composite
def spelled(draw: st.DrawFn) -> tuple[list[ClassMap | PolicyMap | AccessList], str]:
    """Some objects with different names, and one text of them."""
    objects = draw(
        st.lists(
            st.one_of(models.CLASS_MAPS, models.policy_maps(), models.access_lists()),
            min_size=1,
            max_size=4,
            unique_by=lambda thing: (type(thing), thing.name),
        )
    )
    # The spelling from one number: a draw for every blank would be most of the time of a run.
    printer = Printer(random.Random(draw(st.integers(0, 2**64 - 1))).choice)
    blocks = []
    for thing in objects:
        if isinstance(thing, ClassMap):
            blocks.append(printer.class_map(thing))
        elif isinstance(thing, PolicyMap):
            blocks.append(printer.policy_map(thing))
        else:
            blocks.append(printer.access_list(thing))
    pad = draw(st.sampled_from(["", " "]))
    between = draw(st.sampled_from([[], ["!"], ["!", "!"], [""]]))
    lines = [pad + line for block in blocks for line in [*block, *between]]
    return objects, draw(st.sampled_from(["\n", "\r\n", "\r"])).join([*lines, ""])


@OF_ROUTERS
@given(spelled())
def test_any_spelling_is_read_as_the_model_wherever_it_stands(
    case: tuple[list[ClassMap | PolicyMap | AccessList], str],
) -> None:
    objects, text = case
    alone = ios.parse_fragment(text)
    read = [*alone.class_maps.values(), *alone.policy_maps.values(), *alone.access_lists.values()]
    assert sorted(map(repr, map(type, read))) == sorted(map(repr, map(type, objects)))
    for thing in objects:
        assert thing in read, text
    assert digest(read) == digest(objects)
    for left in read:
        for right in objects:
            assert (digest(left) == digest(right)) == (left == right)
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    pad = " " if lines.startswith(" ") else ""
    whole = f"{pad}version 12.4\n{pad}hostname r\n!\n{lines}!\n{pad}router bgp 1\n!\n{pad}line vty 0 4\n{pad} login\n{pad}end\n"
    within = ios.parse(whole)
    for part in ("class_maps", "policy_maps", "access_lists"):
        assert getattr(alone, part) == getattr(within, part)
    assert canonical_json(alone.policy_maps) == canonical_json(within.policy_maps)


@PROPERTY
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    try:
        ios.parse(text)
    except ParseFailure as refusal:
        assert 0 <= refusal.line <= text.count("\n") + text.count("\r") + 1


@PROPERTY
@given(st.data())
def test_any_lines_of_configuration_are_read_or_refused(data: st.DataObject) -> None:
    vocabulary = st.sampled_from(
        [
            "class-map",
            "policy-map",
            "class",
            "match",
            "not",
            "dscp",
            "ef",
            "police",
            "cir",
            "percent",
            "5",
            "bc",
            "ms",
            "conform-action",
            "transmit",
            "drop",
            "set",
            "46",
            "interface",
            "POS1/0",
            "pvc",
            "0/32",
            "service-policy",
            "input",
            "output",
            "access-list",
            "ip",
            "ipv6",
            "extended",
            "permit",
            "any",
            "host",
            "end",
            "exit",
            "banner",
            "^C",
            "random-detect",
            "bandwidth",
            "shape",
            "average",
            "no",
            "type",
            "inspect",
            "version",
            "12.4",
            "hostname",
            "sequence",
            "10",
        ]
    )
    lines = data.draw(
        st.lists(st.tuples(st.integers(0, 3), st.lists(vocabulary, min_size=1, max_size=6)), max_size=25)
    )
    text = "\n".join(" " * indent + " ".join(words) for indent, words in lines)
    for read in (ios.parse, ios.parse_fragment):
        try:
            read(text)
        except ParseFailure as refusal:
            assert refusal.reason
            assert 0 <= refusal.line <= len(lines) + 1
