"""`make twin`: the path UK-NL-DE-GR, every experiment, every fault; prints each number beside the document's."""

from __future__ import annotations

import time

import pytest

from inventory.models import Router
from provisioning.models import SyncState
from provisioning.services import verifying
from tests.services.conftest import _patient as _patient
from tests.twin.experiments import ALL, Measured
from tests.twin.faults import FAULTS
from tests.twin.path import built, configured, mend

pytestmark = pytest.mark.django_db(transaction=True)


def test_twin(_patient: None, capsys: pytest.CaptureFixture[str]) -> None:
    def say(text: str) -> None:
        with capsys.disabled():
            print(text, flush=True)

    began = time.monotonic()
    with built(("JANET", "SURFnet", "DFN", "GRNET")) as row:
        path = configured(row)
        say(f"\n4 routers imported, planned, approved, pushed, verified: {time.monotonic() - began:.0f} s")
        rows: list[Measured] = []
        for experiment in ALL:
            for each in experiment(path):
                rows.append(each)
                say(str(each))
        missed = []
        for fault in FAULTS:
            at = path.athens - fault.router
            path.on(at, fault.script)
            found = next(each for each in fault.seen_by(path) if each.key == fault.row)
            router = Router.objects.get(name=f"l{at + 1}")
            differs = verifying.verify_router(router=router).state == SyncState.DIFFERS
            say(f"{fault.name:16} {found.judged:13} read back: {'differs' if differs else 'IN SYNC'}")
            # Nothing was seen where too little was offered to say anything.
            if found.judged != "WRONG" or not differs:
                missed.append(f"{fault.name}: {found.judged}, {'differs' if differs else 'in sync'}")
            mend(path.house)
        say(f"{'shaper off':16} is the row `unshaped` above: what it polices, `shaped` does not")
        say(f"{time.monotonic() - began:.0f} s")
        assert not [str(each) for each in rows if each.judged == "WRONG"]
        assert not missed, missed
