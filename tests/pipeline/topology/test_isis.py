"""An IS-IS database as routers print it, read into adjacencies; what is none is refused."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise, permutations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.topology import LARGEST_TEXT, Seen, read_isis_database

# As `show isis database detail` prints it (Cisco IOS 12.2): narrow and wide metrics, IPv6 reachability, one LAN (de6.02).
DATABASE = """\
uk6#show isis database detail

IS-IS Level-2 Link State Database:
LSPID                 LSP Seq Num  LSP Checksum  LSP Holdtime      ATT/P/OL
uk6.00-00           * 0x00000C1A   0x5F4C        1034              0/0/0
  Area Address: 49.0001
  NLPID:        0xCC 0x8E
  Hostname: uk6
  IPv6 Address: 2001:798:22:200::1
  Metric: 10         IS-Extended nl6.00
  Metric: 20         IS-Extended de6.02
  Metric: 15         IPv6 2001:798:22:200::/64
nl6.00-00             0x00000B01   0x1A2B        900               0/0/0
  Hostname: nl6
  Metric: 10         IS-Extended uk6.00
  Metric: 25         IS-Extended uk6.00
  Metric: 63         IS uk6.00
  Metric: 5          IS-Extended gr6.00
de6.00-00             0x00000B02   0x1A2C        900               0/0/0
  Hostname: de6
  Metric: 7          IS-Extended de6.02
de6.02-00             0x00000B03   0x1A2D        900               0/0/0
  Metric: 0          IS-Extended de6.00
  Metric: 0          IS-Extended uk6.00
gr6.00-00             0x00000B04   0x1A2E        900               0/0/0
  Hostname: GR6
  Metric: 30         IS (MT-IPv6) nl6.00
  Metric: 5          IS-Extended nl6.00
lonely.00-00          0x00000B05   0x1A2F        900               0/0/0
  Metric: 1          IS-Extended uk6.00
"""


def test_adjacencies_of_both_ends_with_their_metrics() -> None:
    assert dict(read_isis_database(DATABASE).metrics) == {
        ("uk6", "nl6"): 10,
        ("nl6", "uk6"): 10,
        ("uk6", "de6"): 20,
        ("de6", "uk6"): 7,
        ("nl6", "gr6"): 5,
        ("gr6", "nl6"): 30,
    }


def test_paths_in_both_directions_and_none() -> None:
    seen = read_isis_database(DATABASE)
    assert seen.between("de6", "gr6") == {("de6", "uk6"), ("uk6", "nl6"), ("nl6", "gr6")}
    assert seen.between("gr6", "uk6") == {("gr6", "nl6"), ("nl6", "uk6")}
    assert seen.between("uk6", "lonely") == frozenset()
    assert "lonely" not in seen.routers


def test_equal_paths_are_all_of_them() -> None:
    lines = []
    for tail, heads in {"a": "bc", "b": "ad", "c": "ad", "d": "bc"}.items():
        lines += [
            f"{tail}.00-00  0x1 0x2 900 0/0/0",
            *(f"  Metric: 10 IS-Extended {head}.00" for head in heads),
        ]
    assert len(read_isis_database("\n".join(lines)).between("a", "d")) == 4


@pytest.mark.parametrize(
    "text",
    ["", "hostname uk6\n", "uk6.00-00 * 0x1 0x2 9 0/0/0\n  Metric: 1 IS-Extended nl6.00\n", "\x00\xff" * 99],
)
def test_what_is_no_database_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="show isis database detail"):
        read_isis_database(text)
    with pytest.raises(InvalidInput, match="longer than"):
        read_isis_database("x" * (LARGEST_TEXT + 1))


def ways(
    metrics: dict[tuple[str, str], int], here: str, goal: str, been: tuple[str, ...]
) -> Iterator[tuple[str, ...]]:
    """Every way without a loop."""
    if here == goal:
        yield (*been, here)
        return
    for tail, head in metrics:
        if tail == here and head not in been:
            yield from ways(metrics, head, goal, (*been, here))


@pytest.mark.parametrize("seed", range(60))
def test_what_a_path_takes_is_what_every_way_of_least_metric_takes(seed: int) -> None:
    """Beside all ways there are, in small networks whose two directions differ and in which many ways are equal."""
    chance = random.Random(seed)
    names = "abcdef"[: chance.randint(2, 6)]
    pairs = [(a, z) for a in names for z in names if a != z and chance.random() < 0.5]
    metrics = {pair: chance.choice((1, 1, 2, 3)) for pair in pairs}
    seen = Seen(metrics)
    for start, goal in permutations(names, 2):
        found = [list(pairwise(way)) for way in ways(metrics, start, goal, ())]
        costs = [sum(metrics[pair] for pair in way) for way in found]
        taken = {pair for way, cost in zip(found, costs, strict=True) if cost == min(costs) for pair in way}
        assert seen.between(start, goal) == taken, (start, goal, metrics)
