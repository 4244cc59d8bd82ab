"""Lists that keep sources out of EF: a class before it that marks them otherwise, or a condition that is negated."""

from __future__ import annotations

import pytest

from provisioning.pipeline.diff import diff_configs
from provisioning.pipeline.mqc import RunningConfig, share
from provisioning.pipeline.rendering import Renderer
from provisioning.pipeline.safety import simulate
from provisioning.selectors.templates import ios_environment
from tests.pipeline.practice import Oracle, profile_of

RENDERER = Renderer(ios_environment())
KIND = "ios-xe"
A, B, C = (f"permit ipv6 2001:DB8:{net}::/48 any" for net in "ABC")
WIDE = "permit ipv6 2001:DB8::/32 any"


def router(
    out: tuple[str, str], let_in: tuple[str, str], *, negated: bool, mark: str = "default"
) -> RunningConfig:
    """Each list by its name and its entries; who is on the first is kept out of EF."""
    lists = "".join(f"ipv6 access-list {name}\n{entries}\n" for name, entries in (out, let_in))
    classes = f"class-map match-all OUT\n match access-group name {out[0]}\n"
    classes += f"class-map match-all IN\n match access-group name {let_in[0]}\n"
    first = f" class OUT\n  set dscp {mark}\n"
    if negated:
        classes += f" match not access-group name {out[0]}\n"
        first = ""
    oracle = Oracle(KIND)
    text = (
        f"{lists}{classes}policy-map P\n{first} class IN\n  set dscp ef\n"
        "  police cir percent 5 conform-action transmit exceed-action drop\n"
        " class class-default\n  set dscp default\ninterface POS1/0\n service-policy input P\n"
    )
    assert oracle.send(text.splitlines()) == []
    return oracle.read()


def is_ef(config: RunningConfig, source: str) -> bool:
    """Whether all of a source's packets are EF on POS1/0: on the list of IN and not on that of OUT."""
    bound = config.bound("POS1/0", "input")
    policy = None if bound is None else config.policy_maps[bound]
    for entry in () if policy is None else policy.classes:
        held = config.class_maps.get(entry.name)
        for match in () if held is None else sorted(held.matches, key=lambda match: not match.negated):
            (name,) = match.values
            if any(share(source, each.text) for each in config.access_lists[str(name)].entries):
                return entry.name.startswith("IN") and not match.negated
    return False


@pytest.mark.parametrize("negated", [False, True], ids=["a class before it", "a negated condition"])
@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")], ids=["first by name", "last by name"])
@pytest.mark.parametrize(
    ("out", "let_in", "who"),
    [
        ((f"{A}\n{C}", C), (f"{WIDE}\n{B}", B), A),  # nobody keeps A out any more, and nothing lets it in
        ((C, f"{A}\n{C}"), (B, f"{WIDE}\n{B}"), A),
        ((C, f"{A}\n{C}"), (B, f"{A}\n{B}"), A),
    ],
    ids=["both go", "both come", "the same entry comes"],
)
def test_who_is_kept_out_before_and_after_is_kept_out_in_between(negated, names, out, let_in, who):
    before, after = (router((names[0], out[end]), (names[1], let_in[end]), negated=negated) for end in (0, 1))
    found = diff_configs(before, after, RENDERER, profile_of(KIND))
    for start, lines in ((before, found.commands), (found.result, found.rollback)):
        states = (start, *simulate(start, lines, profile_of(KIND)))
        assert [is_ef(state, who.lower()) for state in states] == [False] * len(states)
    assert diff_configs(found.result, after, RENDERER, profile_of(KIND)).empty


@pytest.mark.parametrize(
    ("mark", "after"),
    [("ef", (f"{C}\n{A}", f"{B}\n{A}")), ("default", (f"{C}\n{A}", B))],
    ids=["marked alike", "others come"],
)
def test_lists_that_keep_nobody_out_of_each_other_are_edited_in_place(mark, after):
    held = router(("a", C), ("b", B), negated=False, mark=mark)
    wanted = router(("a", after[0]), ("b", after[1]), negated=False, mark=mark)
    found = diff_configs(held, wanted, RENDERER, profile_of(KIND))
    assert (found.gaps, found.result.access_lists.keys()) == ((), {"a", "b"})
