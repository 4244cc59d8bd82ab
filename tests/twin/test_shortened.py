"""The twin in short: two routers instead of four, experiments 4.1.1 and 4.1.2 and table 3, two faults. All of it: `make twin`."""

from __future__ import annotations

import pytest

from provisioning.models import SyncState
from provisioning.services import verifying
from tests.services.conftest import _patient as _patient
from tests.twin.experiments import QUICK
from tests.twin.faults import FAULTS
from tests.twin.path import built, configured

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]


def test_the_documents_first_experiments_hold_on_routers_that_the_service_configured(_patient: None) -> None:
    with built(("JANET", "GRNET")) as row:
        path = configured(row)
        rows = [each for experiment in QUICK for each in experiment(path)]
        assert not [str(each) for each in rows if each.judged == "WRONG"]
        assert sum(each.judged == "ok" for each in rows) >= 1, "all that was offered was too little"
        rate = next(each for each in FAULTS if each.name == "rate doubled")
        path.on(path.athens, rate.script)
        assert [each.judged for each in rate.seen_by(path) if each.key == rate.row] == ["WRONG"]
        router = path.request.source_link.interface.router
        assert verifying.verify_router(router=router).state == SyncState.DIFFERS
