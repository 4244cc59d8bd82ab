"""Policies kept as text on a Linux router: what counts as bound, and what a line leaves alone."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from provisioning.errors import InvalidInput, ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.linux import (
    LinuxState,
    Look,
    apply,
    change,
    compiled,
    difference,
    held_text,
    kept,
    loader,
    looked,
    saved_text,
    there,
    toward,
    written,
)
from provisioning.pipeline.linux.looking import LOOK, Link
from provisioning.pipeline.linux.policies import UNWRITTEN, loader_digest
from provisioning.pipeline.mqc import Binding, RunningConfig
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment
from tests.linux.edge import TEXT

RENDERER = Renderer(ios_environment())
LINKS = {name: Link(name.lower().replace("ethernet", "eth"), True, True, ("2001:db8::1/64", "10.0.0.1/24"), 100_000_000)
         for name in ("Ethernet1", "Ethernet2")}  # fmt: skip
IN, OUT = (
    Binding("Ethernet1", None, "input", "FILTERED-IN"),
    Binding("Ethernet2", None, "output", "my_policy"),
)
CONFIG = replace(ios.parse_intended(TEXT, None).config, bindings=frozenset({IN, OUT}))


def holding(config: RunningConfig) -> Look:
    """A router on which all that is written is held, and saved."""
    text = written(config, RENDERER)
    bare = Look("l1", "6.1.0-18-amd64", "s", 1, LinuxState(), LINKS, text, loads=True)
    state = compiled(config, bare)
    return replace(bare, running=state, saved=text, loader_digest=loader_digest(loader(text, state)))


def test_what_is_kept_reads_as_it_was_and_is_bound_where_the_kernel_holds_it() -> None:
    assert replace(kept(written(CONFIG, RENDERER)), interfaces={}) == CONFIG
    look = holding(CONFIG)
    assert look.release == "6.1"
    shown = ios.parse(held_text(look))
    assert (shown.bindings, shown.policy_maps) == (CONFIG.bindings, CONFIG.policy_maps)
    assert saved_text(look) == held_text(look)


def test_what_somebody_changed_is_not_bound_and_what_nobody_wrote_has_a_name() -> None:
    look = holding(CONFIG)
    (device,) = look.running.policers
    faster = replace(look.running.policers[device], rate_bps=4_000_000)
    by_hand = replace(look, running=replace(look.running, policers={device: faster}))
    assert ios.parse(held_text(by_hand)).bindings == {OUT}
    assert "Ethernet1" in saved_text(by_hand) and ios.parse(saved_text(by_hand)).bindings == {IN, OUT}
    unwritten = replace(look, policies=written(replace(CONFIG, bindings=frozenset({OUT})), RENDERER))
    assert ios.parse(held_text(unwritten)).bindings == {OUT, replace(IN, policy=UNWRITTEN)}
    assert ios.parse(saved_text(replace(look, loader_digest="other"))).bindings == frozenset()
    assert ios.parse(saved_text(replace(look, loads=False))).policy_maps == {}


def test_a_line_leaves_alone_what_it_does_not_concern() -> None:
    look = holding(CONFIG)
    (device,) = look.running.policers
    by_hand = replace(look.running.policers[device], rate_bps=4_000_000)
    look = replace(look, running=replace(look.running, policers={device: by_hand}))
    seen = ios.parse(held_text(look))
    after = replace(seen, bindings=frozenset())
    wanted = toward(look, seen, after)
    assert wanted.policers == {device: by_hand} and not wanted.queues and wanted.inward
    state = look.running
    for step in difference(look.running, wanted):
        state = apply(state, step)
    assert state == wanted
    mended = toward(look, seen, replace(seen, bindings=frozenset({IN, OUT})))
    assert mended.policers[device].rate_bps == 2_000_000


def test_a_port_without_carrier_and_one_that_is_gone_leave_the_other_policies_bound() -> None:
    """Linux says no speed of a link that is down: what its queue was made for is what the kernel keeps."""
    look = holding(CONFIG)
    down = replace(LINKS["Ethernet2"], up=False, bps=None)
    unplugged = replace(look, links={**LINKS, "Ethernet2": down})
    assert held_text(unplugged) == held_text(look)
    assert saved_text(unplugged) == saved_text(look)
    seen = ios.parse(held_text(unplugged))
    assert toward(unplugged, seen, seen) == look.running
    off = replace(unplugged, running=toward(unplugged, seen, replace(seen, bindings=frozenset({IN}))))
    assert not off.running.queues
    assert toward(off, replace(seen, bindings=frozenset({IN})), seen) == look.running, "and it can be undone"
    gone = replace(look, links={"Ethernet1": LINKS["Ethernet1"]})
    assert ios.parse(held_text(gone)).bindings == {IN}
    assert loader(gone.policies, compiled(there(kept(gone.policies), gone), gone))
    slower = replace(look, links={**LINKS, "Ethernet2": replace(down, bps=10_000_000)})
    assert ios.parse(held_text(slower)).bindings == {IN}


def test_what_is_held_and_cannot_be_worked_out_is_not_known_and_never_unbound() -> None:
    text = TEXT.replace("police cir 2000000 bc 20000", "police cir percent 2")
    percent = replace(CONFIG, policy_maps=ios.parse_intended(text, None).config.policy_maps)
    look = holding(percent)
    down = {**LINKS, "Ethernet1": replace(LINKS["Ethernet1"], up=False, bps=None)}
    with pytest.raises(
        ParseFailure, match=r"Ethernet1 input: what FILTERED-IN comes to is not known: .*bandwidth"
    ):
        held_text(replace(look, links=down))
    empty = replace(look, links=down, running=replace(look.running, policers={}, filters={}, inward={}))
    assert ios.parse(held_text(empty)).bindings == {OUT}, "where the kernel holds nothing, nothing is bound"
    with pytest.raises(ParseFailure):
        held_text(replace(look, policies="policy-map\n"))


def test_what_cannot_be_is_refused_by_name_before_anything_is_sent() -> None:
    look = holding(CONFIG)
    elsewhere = replace(CONFIG, bindings=frozenset({replace(IN, interface="Ethernet7")}))
    with pytest.raises(InvalidInput, match="there is no interface Ethernet7"):
        toward(look, CONFIG, elsewhere)
    with pytest.raises(ParseFailure, match="ends before"):
        looked("=== host\nl1\n")
    script = change((), "policy-map X\n", "d1", "d2")
    assert script.startswith("changed() {") and script.endswith("}\nchanged\n"), (
        "a shell reads all of it first"
    )
    assert "= d2 ]" in script and "d1 ]" not in script


def test_a_machine_id_that_is_empty_or_missing_is_one_line_all_the_same(tmp_path: Path) -> None:
    (line,) = [each for each in LOOK.splitlines() if "machine-id" in each]
    for name, text in (("full", "abc\n"), ("empty", ""), ("missing", None)):
        if text is not None:
            (tmp_path / name).write_text(text)
        script = line.replace("/etc/machine-id", str(tmp_path / name))
        said = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=True).stdout
        assert said == ("abc\n" if text else "\n"), name
