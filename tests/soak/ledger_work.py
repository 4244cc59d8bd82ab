"""One process of the ledger's soak: deed after deed through the services, each with its number in its reason.

A line is written before a deed and one after it; who is killed in between leaves the first alone.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from types import FrameType

from django.db import DatabaseError, IntegrityError, connections
from django.db.models import Q

from inventory.readers.network_yaml import read_network
from provisioning.errors import Busy, ExpediteError
from provisioning.models import SYSTEM, Actor, PremiumRequest, Via
from provisioning.pipeline.admission import Refused
from provisioning.pipeline.states import RequestState
from provisioning.services import audit, clock, decisions, people, requests, retrying
from provisioning.services.inventory import import_network
from tests.soak.ledger_network import ROUTERS, link, prefix

KINDS = ("submit", "consent", "admit", "hold", "refuse", "withdraw", "expire", "import", "complete")
WEIGHTS = (28, 18, 22, 8, 3, 8, 5, 1, 7)


class Worker:
    """Does deeds until it is told to stop, or killed."""

    def __init__(self, number: int, seed: int, log: Path, files: list[Path]) -> None:
        self.dice = random.Random(seed)
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.name = f"{number}.{seed}"
        self.files = files
        self.stopped = False
        self.done = 0

    def work(self) -> None:
        signal.signal(signal.SIGTERM, self._stop)
        connections.close_all()
        self.noc = [people.actor_named(name, via=Via.WEB) for name in ("nora", "niels")]
        self.nrens = [people.actor_named(f"n{n}", via=Via.WEB) for n in range(ROUTERS)]
        while not self.stopped:
            kind = self.dice.choices(KINDS, WEIGHTS)[0]
            self.done += 1
            deed = f"op-{self.name}-{self.done}"
            self._say(f"{deed} {kind} begun")
            self._say(f"{deed} {kind} {self._outcome(kind, deed)}")

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopped = True

    def _say(self, text: str) -> None:
        os.write(self.log, (text.replace("\n", " ") + "\n").encode())

    def _outcome(self, kind: str, deed: str) -> str:
        act: Callable[[], str] = getattr(self, f"_{kind}", lambda: "nothing to do")
        self.deed = deed
        try:
            return retrying.whole(act)
        except Busy as error:
            return f"busy {error.reason}"
        except ExpediteError as error:
            return f"declined {error.code}"
        except IntegrityError as error:
            return f"TRIGGER {error}" if "share" in str(error) else f"FAULT {error!r}"
        except DatabaseError as error:
            return f"DEADLOCK {error}" if "deadlock" in str(error) else f"FAULT {error!r}"
        except Exception as error:  # noqa: BLE001 - counted and shown at the end
            return f"FAULT {error!r}"

    def _one(self, *states: RequestState, wanted: Q | None = None) -> PremiumRequest | None:
        rows = PremiumRequest.objects.filter(wanted or Q(), state__in=states)
        newest = list(rows.order_by("-pk")[:60])
        return self.dice.choice(newest) if newest else None

    def _of(self, nren_id: int) -> Actor:
        return next(actor for actor in self.nrens if nren_id in actor.nren_ids)

    def _submit(self) -> str:
        source, destination = self.dice.sample(range(min(ROUTERS, 6 + self.dice.randrange(ROUTERS))), 2)
        now = clock.now()
        start = now + timedelta(seconds=self.dice.choice((0, 0, 600, 3600)))
        brief = self.dice.random() < 0.3
        length = (
            timedelta(seconds=self.dice.randrange(2, 8))
            if brief
            else timedelta(hours=self.dice.randrange(1, 9))
        )
        requests.submit(
            actor=self.nrens[source],
            data=requests.SubmitRequest(
                source_link=link(source),
                destination_link=link(destination),
                rate=self.dice.choice((1, 2, 5, 10, 20)) * 1_000_000,
                bucket_bytes=15_000,
                max_packet_bytes=1500,
                source_prefixes=(prefix(source),),
                destination_prefixes=(prefix(destination),),
                contact="noc@example.org",
                start=start,
                end=start + length,
                direction=self.dice.choice(("one-way", "one-way", "both")),
                reason=self.deed,
            ),
        )
        return "done"

    def _consent(self) -> str:
        row = self._one(RequestState.SUBMITTED, RequestState.HELD, wanted=Q(consent="pending"))
        if row is None or row.receiving_nren_id is None:
            return "nothing to do"
        requests.consent(
            actor=self._of(row.receiving_nren_id),
            request=row,
            agree=self.dice.random() < 0.95,
            reason=self.deed,
        )
        return "done"

    def _admit(self) -> str:
        row = self._one(RequestState.SUBMITTED, RequestState.HELD, wanted=Q(consent="given"))
        if row is None:
            return "nothing to do"
        verdict = decisions.admit(actor=self.dice.choice(self.noc), request=row, reason=self.deed)
        return "done does-not-fit" if isinstance(verdict, Refused) else "done"

    def _hold(self) -> str:
        row = self._one(RequestState.SUBMITTED)
        if row is None:
            return "nothing to do"
        until = clock.now() + timedelta(seconds=self.dice.randrange(1, 20))
        verdict = decisions.hold(actor=self.dice.choice(self.noc), request=row, until=until, reason=self.deed)
        return "nothing changed" if isinstance(verdict, Refused) else "done"

    def _refuse(self) -> str:
        row = self._one(RequestState.SUBMITTED, RequestState.HELD)
        if row is None:
            return "nothing to do"
        decisions.refuse(actor=self.dice.choice(self.noc), request=row, reason=self.deed)
        return "done"

    def _withdraw(self) -> str:
        row = self._one(RequestState.SUBMITTED, RequestState.HELD, RequestState.ADMITTED)
        if row is None:
            return "nothing to do"
        requests.withdraw(actor=self._of(row.nren_id), request=row, reason=self.deed)
        return "done"

    def _complete(self) -> str:
        row = self._one(
            RequestState.WITHDRAWN,
            RequestState.EXPIRED,
            wanted=Q(reservation__released_at=None, reservation__isnull=False),
        )
        if row is None:
            return "nothing to do"
        decisions.complete(request=row, reason=self.deed)
        return "done"

    def _expire(self) -> str:
        requests.expire_due(now=clock.now())
        audit.seal_waiting()
        return "nothing of its own"

    def _import(self) -> str:
        import_network(actor=SYSTEM, network=read_network(self.dice.choice(self.files)))
        return "nothing of its own"
