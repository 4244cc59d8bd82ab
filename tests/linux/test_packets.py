"""What packets see of a Linux router: marks (the cases of D4.4.2v2 4.1.1), a policer that cuts what exceeds and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from provisioning.pipeline.linux import LinuxState, counted, difference, intended
from tests.linux.edge import edge
from tests.linux.router import LinuxRouter, built
from tests.linux.traffic import arrived, ready_to_count, send

AUTHORISED, OTHER = "2001:db8:1::1", "2001:db8:1::9"
BANDWIDTHS = {"eth1": 100_000_000, "eth2": 100_000_000}
RATE, BUCKET = 2_000_000, 20_000  # of the policies of the edge
FRAME = 1400 + 48 + 14

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="module")
def wires() -> Iterator[LinuxRouter]:
    with built() as made:
        yield made


@pytest.fixture
def router(wires: LinuxRouter) -> LinuxRouter:
    wires.clear()
    ready_to_count(wires)
    return wires


def put(router: LinuxRouter, policy: str) -> None:
    router.take(difference(router.held(), intended(edge(policy), BANDWIDTHS).state))


@pytest.mark.parametrize(
    ("policy", "source", "sent", "seen"),
    [
        ("NON-PARTICIPANT", AUTHORISED, 0, 0),
        ("NON-PARTICIPANT", AUTHORISED, 8, 0),
        ("NON-PARTICIPANT", AUTHORISED, 46, 0),
        ("NON-PARTICIPANT", AUTHORISED, 48, 0),
        ("TRUSTED-IN", AUTHORISED, 0, 0),
        ("TRUSTED-IN", AUTHORISED, 8, 8),
        ("TRUSTED-IN", OTHER, 46, 46),
        ("TRUSTED-IN", OTHER, 18, 0),
        ("FILTERED-IN", AUTHORISED, 0, 46),
        ("FILTERED-IN", AUTHORISED, 46, 46),
        ("FILTERED-IN", OTHER, 46, 0),
        ("FILTERED-IN", OTHER, 8, 8),
        ("FILTERED-IN", OTHER, 0, 0),
    ],
)
def test_thirteen_cases_of_marking(
    router: LinuxRouter, policy: str, source: str, sent: int, seen: int
) -> None:
    put(router, policy)
    send(router, [0.0] * 5, source=source, dscp=sent)
    assert arrived(router) == {seen: 5}


def test_without_a_policy_the_mark_stays(router: LinuxRouter) -> None:
    """The check on the checks: it is the policy that marks."""
    send(router, [0.0] * 5, source=OTHER, dscp=46)
    assert arrived(router) == {46: 5}


@pytest.mark.parametrize("policy", ["TRUSTED-IN", "FILTERED-IN"])
def test_what_conforms_is_never_dropped(router: LinuxRouter, policy: str) -> None:
    put(router, policy)
    whole = BUCKET // FRAME
    spaced = [0.0] * whole + [0.1 + at * FRAME * 8 / RATE for at in range(100)]
    send(router, spaced, source=AUTHORISED, dscp=46)
    assert arrived(router) == {46: len(spaced)}


@pytest.mark.parametrize("policy", ["TRUSTED-IN", "FILTERED-IN"])
def test_what_exceeds_is_dropped_and_counted(router: LinuxRouter, policy: str) -> None:
    """Three times the rate: a bucket, a packet that waits, and what the time gives; the rest is dropped, nothing re-marked."""
    put(router, policy)
    sent = 300
    send(router, [at * FRAME * 8 / RATE / 3 for at in range(sent)], source=AUTHORISED, dscp=46)
    passed = arrived(router)
    (edge_in,) = [each for each in counted(router.shown()) if each.direction == "input"]
    police = edge_in.classes[0].police
    assert police is not None
    assert passed == {46: police.conformed.packets}
    assert police.exceeded.packets is not None and police.conformed.packets is not None
    assert police.conformed.packets + police.exceeded.packets == edge_in.classes[0].packets == sent
    # A third conforms. A sender that is kept waiting sends later, never sooner, so more may pass than planned, never less.
    assert police.conformed.packets >= sent // 3
    assert police.exceeded.packets > sent // 3


def test_a_change_of_rate_keeps_policing_with_a_queue_of_one(router: LinuxRouter) -> None:
    """`tc qdisc change` of a TBF gives its queue the number of its own limit: 15,000 packets would wait, and none be dropped."""
    put(router, "TRUSTED-IN")
    held = router.held()
    (policer,) = held.policers.values()
    for rate in (1_000_000, 4_000_000, RATE):
        changed = LinuxState(
            {policer.device: type(policer)(policer.device, rate, BUCKET)},
            held.filters, held.inward, held.outward, held.queues,
        )  # fmt: skip
        router.take(difference(router.held(), changed))
        assert difference(router.held(), changed) == ()
    send(router, [0.0] * 200, source=OTHER, dscp=46)
    assert arrived(router)[46] < 200 * 2 // 3


def test_the_queue_tells_ef_from_the_rest(router: LinuxRouter) -> None:
    put(router, "TRUSTED-IN")
    send(router, [0.0] * 3, source=OTHER, dscp=46)
    send(router, [0.0] * 4, source=OTHER, dscp=0)
    (out,) = [each for each in counted(router.shown()) if each.direction == "output"]
    queued = {each.name: each.queue.output_packets for each in out.classes if each.queue is not None}
    assert (queued["EF"], queued["class-default"]) == (3, 4)
