"""Two texts of objects, compared as the difference of configurations compares them: by their models and digests."""

from __future__ import annotations

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import Action, Match, RunningConfig, digest


def _held(config: RunningConfig) -> tuple[dict[str, str], ...]:
    kinds = (config.class_maps, config.policy_maps, config.access_lists)
    return (*({name: digest(thing) for name, thing in kind.items()} for kind in kinds), _bound(config))


def _bound(config: RunningConfig) -> dict[str, str]:
    return {f"{bound.interface} {bound.pvc} {bound.direction}": bound.policy for bound in config.bindings}


def same(typed: str, *shown: str) -> None:
    """What is typed is what is shown, in each of the spellings, and something is held at all."""
    expected = ios.parse_fragment(typed)
    assert any(_held(expected))
    for text in shown:
        found = ios.parse(text)
        assert _held(found) == _held(expected), text
        assert found.class_maps == expected.class_maps
        assert found.policy_maps == expected.policy_maps
        assert found.access_lists == expected.access_lists


def different(one: str, *others: str) -> None:
    """Each of the other texts means something else."""
    expected = _held(ios.parse_fragment(one))
    for text in others:
        assert _held(ios.parse(text)) != expected, text


def class_map(*lines: str, mode: str = "match-all ") -> str:
    """A class-map of these lines."""
    return f"class-map {mode}A\n" + "".join(f" {line}\n" for line in lines)


def policy(*lines: str) -> str:
    """A policy-map with one class of these lines."""
    return "policy-map P\n class A\n" + "".join(f"  {line}\n" for line in lines)


def matches(text: str) -> frozenset[Match]:
    """The conditions of the class-map A."""
    return ios.parse(text).class_maps["A"].matches


def actions(text: str) -> frozenset[Action]:
    """The actions of the only class of the policy-map P."""
    (entry,) = ios.parse(text).policy_maps["P"].classes
    return entry.actions
