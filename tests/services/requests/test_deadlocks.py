"""What meets on one link and never waits in a circle: every order of locks that a deadlock needs is offered, many times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from provisioning.models import PremiumRequest
from provisioning.pipeline.admission import Admitted
from provisioning.services import audit, decisions, flow_labels, requests
from tests.services.in_threads import at_once
from tests.services.requests.sixnet import (
    ASKED,
    admitted,
    agreed,
    hours,
    import_again,
    janet,
    noc,
    submitted,
)
from tests.services.requests.test_concurrency import admitting

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("postgres", "six_for_all")]
ROUNDS = 12


def raised(said: list[object]) -> list[object]:
    return [one for one in said if isinstance(one, Exception)]


def submitting(**changes: object) -> Callable[[], object]:
    actor = janet()
    return lambda: requests.submit(actor=actor, data=replace(ASKED, rate=1000, **changes))  # type: ignore[arg-type]


def test_admitting_over_a_link_while_others_ask_for_it() -> None:
    """The foreign keys of the new request are checked at COMMIT, when the submitter holds all that it will ever hold."""
    for _round in range(ROUNDS):
        request = agreed(rate=1000)
        said = at_once(admitting(request, "nora"), submitting(), submitting(direction="both"))
        assert raised(said) == []
        assert isinstance(said[0], Admitted)
    assert audit.verify_chain().intact


def test_drawing_a_label_while_others_of_the_nren_ask_and_are_admitted() -> None:
    for _round in range(ROUNDS):
        wanting, asked = submitted(rate=1000), agreed(rate=1000)
        actor = janet()
        said = at_once(
            partial(flow_labels.draw, actor=actor, request=wanting), submitting(), admitting(asked, "nora")
        )
        assert raised(said) == []


def test_importing_while_others_admit_end_and_complete() -> None:
    for _round in range(ROUNDS // 2):
        waiting, over = agreed(rate=1000), admitted(rate=1000)
        requests.withdraw(actor=janet(), request=over, reason="over")
        held = submitted(rate=1000)
        decisions.hold(actor=noc("nora"), request=held, until=hours(1), reason="we talk")
        said = at_once(
            import_again,
            admitting(waiting, "nora"),
            partial(decisions.complete, request=PremiumRequest.objects.get(pk=over.pk)),
            partial(requests.withdraw, actor=janet(), request=held, reason="no more"),
            submitting(),
        )
        assert raised(said) == []
    assert audit.verify_chain().intact
