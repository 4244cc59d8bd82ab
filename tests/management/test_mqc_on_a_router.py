"""`mqc diff` against the practice router: what that refuses is refused, and what is printed leads where it is said to.

The practice router is the oracle: it was written from the facts and shares nothing with parser, grammar or planner.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.management import mqc_door
from provisioning.pipeline import ios
from provisioning.pipeline.diff.compare import same
from provisioning.pipeline.diff.store import store_of
from provisioning.pipeline.mqc import RunningConfig
from tests.pipeline.practice import PLATFORMS, Oracle
from tests.pipeline.properties import OF_ROUTERS

KINDS = ("12000", "7200-12.3T", "7200-hqf", "ios-xe")
LISTS, CLASSES, MARKERS, QUEUES = ("auth-a", "auth-b"), ("EF", "LBE", "BY-LIST"), ("IN-A", "IN-B"), ("OUT",)
PORTS = ("POS1/0", "POS1/1", "GigabitEthernet3/0")
ADDRESSES = ("any", "host 2001:DB8::5", "2001:DB8:A::/48", "2001:DB8:B:1::/64")
ENTRIES = [
    f"permit {protocol} {source} {target}{behind}"
    for protocol, behind in (
        ("ipv6", ""),
        ("udp", " eq ntp"),
        ("tcp", " dscp ef"),
        ("ipv6", " flow-label 77"),
    )
    for source in ADDRESSES
    for target in ADDRESSES[:3]
]
POLICERS = (
    "police cir percent 5 conform-action transmit exceed-action drop",
    "police cir 2000000 bc 62500 conform-action transmit exceed-action set-dscp-transmit 0",
    "police cir percent 20 bc 300 ms conform-action set-dscp-transmit 46 exceed-action drop",
)
MARKS = ("set dscp 46", "set dscp default", "set dscp 8")


@st.composite
def configurations(draw: st.DrawFn) -> list[str]:
    """The lines of a configuration that every kind of practice router takes."""
    lines: list[str] = []
    lists = draw(st.lists(st.sampled_from(LISTS), unique=True))
    for name in lists:
        lines.append(f"ipv6 access-list {name}")
        chosen = draw(st.lists(st.sampled_from(ENTRIES), min_size=1, max_size=4, unique=True))
        lines += [f" sequence {10 * place} {entry}" for place, entry in enumerate(chosen, start=1)]
    classes = draw(st.lists(st.sampled_from(CLASSES if lists else CLASSES[:2]), unique=True, min_size=1))
    for name in classes:
        lines.append(f"class-map {draw(st.sampled_from(('match-all', 'match-any')))} {name}")
        if name == "BY-LIST":
            lines.append(f" match access-group name {draw(st.sampled_from(lists))}")
        else:
            values = draw(
                st.lists(st.sampled_from(("ef", "8", "af11", "47")), min_size=1, max_size=3, unique=True)
            )
            lines.append(f" match dscp {' '.join(values)}")
    policies = draw(st.lists(st.sampled_from(MARKERS), unique=True))
    for name in policies:
        lines.append(f"policy-map {name}")
        for each in draw(st.lists(st.sampled_from(classes), unique=True)):
            lines.append(f" class {each}")
            lines += draw(st.lists(st.sampled_from([f"  {mark}" for mark in MARKS]), max_size=1))
            lines += [f"  {policer}" for policer in draw(st.lists(st.sampled_from(POLICERS), max_size=1))]
        lines += [" class class-default", f"  {draw(st.sampled_from(MARKS))}"]
    for port in draw(st.lists(st.sampled_from(PORTS), unique=True)):
        lines.append(f"interface {port}")
        if policies and draw(st.booleans()):
            lines.append(f" service-policy input {draw(st.sampled_from(policies))}")
    return lines


def door(running: str, intended: str, *options: str) -> tuple[int, str, str]:
    """Exit status, output and errors of `mqc diff` on two texts; the files are called `running` and `intended`."""
    said, told = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        held, wanted = Path(folder, "running"), Path(folder, "intended")
        held.write_text(running)
        wanted.write_text(intended)
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(told):
            status = mqc_door.main(["diff", str(held), str(wanted), "--json", *options])
        return status, said.getvalue(), told.getvalue().replace(f"{folder}/", "")


def on(kind: str) -> tuple[str, ...]:
    name, release = PLATFORMS[kind]
    return "--platform", name, "--ios", release


def texts(lines: list[dict[str, Any]]) -> list[str]:
    return [line["text"] for line in lines]


def holds(config: RunningConfig, wanted: RunningConfig) -> None:
    """Every object of ``wanted`` is there with its meaning, and its interfaces have its policies."""
    there = store_of(config)
    for key, thing in store_of(wanted).items():
        assert same(there[key], thing), key
    named = wanted.interfaces.keys()
    assert {each for each in config.bindings if each.interface in named} == wanted.bindings


@OF_ROUTERS
@given(data=st.data(), kind=st.sampled_from(KINDS), running=configurations(), intended=configurations())
def test_exact_ends_at_intended_and_its_way_back_at_running(data, kind, running, intended):
    oracle = Oracle(kind, "\n".join(running) + "\n")
    start = oracle.read()
    typed = data.draw(st.sampled_from(["\n".join(intended) + "\n", oracle.text()]))
    status, said, told = door(oracle.text(), typed, "--exact", *on(kind))
    assert status in (0, 1), told
    found = json.loads(said)
    assert found["equal"] is (status == 0)
    wanted = ios.parse_intended(typed).config
    assert oracle.send(texts(found["commands"])) == []
    end = oracle.read()
    holds(end, wanted)
    assert store_of(end).keys() == store_of(wanted).keys()
    assert end.bindings == wanted.bindings
    assert door(oracle.text(), typed, "--exact", *on(kind))[0] == 0
    assert oracle.send(texts(found["rollback"])) == []
    assert oracle.read() == start


def misspelt(word: str, place: int) -> str:
    place %= len(word)
    return word[:place] + word[place] * 2 + word[place + 1 :]


def swapped(word: str, place: int) -> str:
    place %= max(1, len(word) - 1)
    return word[:place] + word[place : place + 2][::-1] + word[place + 2 :]


@st.composite
def mutations(draw: st.DrawFn) -> tuple[list[str], int, bool]:
    """A configuration of which one word is changed, the number of its line, and whether the word is a name or its line one
    that opens something: what it changes is then found further down too.
    """
    lines = draw(configurations())
    at = draw(st.integers(0, len(lines) - 1))
    indent = len(lines[at]) - len(lines[at].lstrip())
    words = lines[at].split()
    place = draw(st.integers(0, len(words) - 1))
    names = {*LISTS, *CLASSES, *MARKERS, *PORTS, "class-default"}
    opens = words[0] in ("class-map", "policy-map", "class", "interface", "ipv6") or words[place] in names
    how = draw(st.sampled_from(("delete", "twice", "misspelt", "swapped", "too large", "another")))
    if how == "delete":
        words.pop(place)
    elif how == "twice":
        words.insert(place, words[place])
    elif how in ("misspelt", "swapped"):
        change = misspelt if how == "misspelt" else swapped
        words[place] = change(words[place], draw(st.integers(0, 30)))
    elif how == "too large" and words[place].isdigit():
        words[place] = "99999999999999"
    else:
        words[place] = draw(
            st.sampled_from(("permit", "any", "7", "percent", "exit1", "2001:DB8::/129", "300.1.1.1"))
        )
    lines[at] = " " * indent + " ".join(words)
    return lines, at + 1, opens


@OF_ROUTERS
@given(kind=st.sampled_from(KINDS), running=configurations(), mutated=mutations())
def test_one_word_changed_is_refused_at_its_line_or_means_what_a_router_takes_it_for(kind, running, mutated):
    lines, number, opens = mutated
    text = "\n".join(lines) + "\n"
    oracle = Oracle(kind, "\n".join(running) + "\n")
    status, said, told = door(oracle.text(), text, *on(kind))
    if status == 2:
        assert said == "" or json.loads(said)["conflicts"]
        assert opens or f"intended:{number}:" in told, told
        return
    assert status in (0, 1), told
    found = json.loads(said)
    assert oracle.send(texts(found["commands"])) == []
    end = oracle.read()
    fresh = Oracle(kind)
    refused = fresh.send(lines)
    if opens and refused:
        return  # a name that the router has and the text does not
    assert refused == [], "the router refuses what was taken"
    typed = fresh.read()
    there = store_of(end)
    for key, thing in store_of(typed).items():
        assert same(there[key], thing), key
    listed = {line.split(None, 1)[1] for line in lines if line.startswith("interface ")}
    for port in listed & typed.interfaces.keys():
        for direction in ("input", "output"):
            assert end.bound(port, direction) == typed.bound(port, direction)


REFUSED = (
    "ipv6 access-list L\n permit ipv6 hsot 2001:DB8:200::5 any\n",
    "ipv6 access-list L\n permit ipv6 2001:DB8:20000::5/64 any\n",
    "ipv6 access-list L\n permit ipv6 2001:DB8::/129 any\n",
    "ip access-list extended L\n permit ip host 10.0.0.300 any\n",
    "policy-map P\n class class-default\n  police cir percent 5 conform-action transmit exceed-action dropp\n",
    "policy-map P\n class class-default\n  random-detect dscp-bassed\n",
    "policy-map P\n class class-default\n  service-policy P\n",
    "policy-map P\n class class-default\n  set dscp 0\ninterface POS1/0\n service-policy outputt P\n",
    "policy-map P\n class class-default\n  set dscp 0\npolicy-map Q\n class class-default\n  set dscp 0\n"
    "interface POS1/0\n service-policy input P\n service-policy input Q\n",
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", REFUSED)
def test_what_the_practice_router_refuses_is_refused_with_the_line(kind: str, text: str) -> None:
    oracle = Oracle(kind)
    before = oracle.text()
    replies = oracle.send(text.splitlines())
    assert replies, "the oracle takes it"
    status, said, told = door(before, text, *on(kind))
    assert (status, said) == (2, "")
    number = next(n for n, line in enumerate(text.splitlines(), 1) if line.strip() == replies[-1][0].strip())
    assert told.startswith(f"intended:{number}:")
