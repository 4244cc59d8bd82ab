"""What every story has: a network, people, a baseline, requests through the API and changes through `manage.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from provisioning.management.demo.api import Nren
from provisioning.management.demo.house import DoorFailed, House
from provisioning.management.demo.narration import Narrator
from provisioning.pipeline.units import rate_text

WHOLE = 400
"""Lines: a plan is printed to its end, or nobody could say what was approved."""

NOC = {"alice": "plans", "boris": "decides and approves"}


class Story:
    """Told on one house; each chapter raises DoorFailed when what it tells is not what happened.

    `network` is a bundled network, `routers_told` how its routers are introduced, `users` who speaks for which NREN,
    `shown_whole` the routers whose baseline is printed line by line (none named: every one).
    """

    network: ClassVar[str]
    routers_told: ClassVar[str]
    users: ClassVar[Mapping[str, str]]
    baseline_reason: ClassVar[str] = "baseline"
    why_asked: ClassVar[str] = "QoS tests"
    shown_whole: ClassVar[tuple[str, ...]] = ()

    def __init__(self, house: House, tell: Narrator, password: str) -> None:
        self.house, self.tell, self.password = house, tell, password
        self.nrens: dict[str, Nren] = {}

    def run(self) -> None:
        """Every chapter, in order."""
        raise NotImplementedError

    def leave_work(self) -> None:
        """Whatever whoever opens the site afterwards finds to do; nothing unless a story says."""

    def import_network(self) -> None:
        self.tell.step(f"Import the network {self.network}")
        self.tell.said(self._typed("import_inventory", self.network).splitlines()[-1])

    def practice_routers(self) -> None:
        self.tell.step(
            f"Start a practice router for {self.routers_told}, over SSH on loopback, host keys pinned"
        )
        self.tell.typed("manage.py lab")
        self.tell.said(self.house.start_routers())

    def people(self) -> None:
        self.tell.step(
            "Two people of the NOC, one for each NREN, a token for each NREN; start the site and the job loop"
        )
        for name, does in NOC.items():
            self.house.manage("person", name, "--role", "noc", "--password-stdin", stdin=self.password + "\n")
            self.tell.note(f"{name} {does}")
        self.house.start_site()
        for nren, user in self.users.items():
            self.house.manage("person", user, "--nren", nren, "--password-stdin", stdin=self.password + "\n")
            printed = self.house.manage("token", nren, "--user", user)
            token = next(word for word in printed.split() if word.startswith("exp_"))
            self.nrens[nren] = Nren(self.house.url, nren, token)
            self.tell.note(f"{user} speaks for {nren}")

    def baseline(self) -> None:
        self.tell.step("Plan the baseline: every edge marked and policed, then the core queues")
        planned = json.loads(self._typed("plan", "--as", "alice", "--reason", self.baseline_reason, "--json"))
        number = str(planned["id"])
        self._show_pushes(planned)
        self._show_whole(number)
        self.tell.step("Approve it: alice planned, so alice cannot")
        self.tell.said(self._typed("approve", number, "--as", "alice", expect=(1,)))
        words = ["approve", number, "--as", "boris", "--reason", "agreed at the NOC meeting"]
        self.tell.said(self._typed(*words))
        self.tell.step("Push it: all edges on all routers, and only then a priority queue anywhere")
        self.tell.said(ended(self._typed("push", number, "--as", "boris", "--wait")))
        self.tell.said(self._typed("verify"))

    def _ask(
        self,
        nren: str,
        source: str,
        destination: str | None,
        rate: int,
        own: str,
        theirs: str | None,
        **more: Any,
    ) -> str:
        """POST a request; its number. `theirs` None is any destination; `more` are further fields of the body."""
        of_class = f" of {more['service_class']}" if "service_class" in more else ""
        self.tell.note(
            f"POST /api/v1/premium-requests/ as {nren}: {rate_text(rate)}{of_class}, {source} to "
            f"{destination or theirs or 'anywhere'}"
        )
        row = self.nrens[nren].ask(
            source_link=source,
            destination_link=destination,
            rate_bps=rate,
            bucket_bytes=15000,
            max_packet_bytes=1500,
            source_prefixes=[own],
            destination_prefixes=[] if theirs is None else [theirs],
            contact=f"noc@{nren.lower()}.example",
            reason=self.why_asked,
            **more,
        )
        receiver = f" of {row['receiving_nren']}" if row["receiving_nren"] else ""
        self.tell.note(f"{row['reference']} is {row['state']}; consent{receiver}: {row['consent']}")
        return str(row["id"])

    def _turned_away(
        self,
        nren: str,
        expect: str,
        source: str,
        destination: str | None,
        rate: int,
        own: str,
        theirs: str | None,
        **more: Any,
    ) -> None:
        """A request that the API refuses in so many words; raises DoorFailed when it says something else."""
        try:
            number = self._ask(nren, source, destination, rate, own, theirs, **more)
        except DoorFailed as refused:
            if expect not in str(refused):
                raise
            self.tell.said(_detail(str(refused)))
            return
        raise DoorFailed(f"request {number} was taken; it should have been refused: {expect}")

    def _would(
        self, nren: str, fits: bool, source: str, to: str, rate: int, own: str, theirs: str, **more: Any
    ) -> set[str]:
        """Ask, read the evidence (both ways', where both were asked), withdraw; the links it is refused at."""
        number = int(self._ask(nren, source, to, rate, own, theirs, **more))
        rows = [self.nrens[nren].see(number)]
        rows += [self.nrens[nren].see(rows[0]["twin"])] if rows[0]["twin"] else []
        refused = set()
        for row in rows:
            found = row["evidence"]
            verdict = "fits" if found["verdict"] == "admitted" else "does not fit"
            self.tell.said(
                f"{row['reference']}, {row['source_link']} to {row['destination_link']}: {verdict}"
            )
            self.tell.said("\n".join(reason["text"] for reason in found.get("reasons", [])))
            refused |= {str(reason["link"]) for reason in found.get("reasons", [])}
            if (found["verdict"] == "admitted") is not fits:
                raise DoorFailed(f"{row['reference']} {verdict}; the other was expected")
        self.nrens[nren].withdraw(number, "it was only to see")  # and with it the other way
        return refused

    def _admit(self, request: str) -> None:
        self.tell.said(self._typed("admit", request, "--as", "boris", "--reason", "fits everywhere"))

    def _does_not_fit(self, request: str, expect: str) -> None:
        """Admission says no, with this in its reason; the request is then refused."""
        said = self._typed("admit", request, "--as", "boris", "--reason", "trying", expect=(1,))
        self.tell.said(said)
        if expect not in said:
            raise DoorFailed(f"the refusal does not say {expect!r}")
        self.tell.said(self._typed("refuse", request, "--as", "boris", "--reason", "does not fit"))

    def _put_on(self, nren: str, request: str, says: str = "") -> None:
        """Push the change of an admitted request, whose plan has `says`, and wait until it is seen on the routers."""
        self._push_change_of(nren, request, says)
        seen = self.nrens[nren].wait_for(int(request), "ACTIVE")
        self.tell.note(f"{seen['reference']} is {seen['state']}.")

    def _only_to_see(self, nren: str, request: str) -> None:
        """Withdraw what no router holds yet; its capacity is free once that was seen."""
        self.nrens[nren].withdraw(int(request), "it was only to see")
        seen = self.nrens[nren].wait_for(int(request), "COMPLETED")
        self.tell.note(
            f"{nren} withdraws it: {seen['reference']} is {seen['state']}, and its capacity is free."
        )

    def _withdraw(self, nren: str, request: str) -> None:
        self.nrens[nren].withdraw(int(request), "the tests are over")
        number, answer = "", ""
        for _attempt in range(3):
            number = str(self.nrens[nren].wait_for_change(int(request), "PLANNED")["id"])
            words = ("approve", number, "--as", "boris", "--reason", "read it", "--confirm-gaps")
            answer = self._typed(*words, expect=(0, 1))
            self.tell.said(answer)
            if "is approved by" in answer:
                break  # otherwise it was planned anew while we read it
        self.tell.said(ended(self._typed("push", number, "--as", "boris", "--wait")))
        seen = self.nrens[nren].wait_for(int(request), "COMPLETED")
        self.tell.note(f"{seen['reference']} is {seen['state']}.")

    def _all_back(self) -> None:
        self.tell.step("All routers are back at the baseline, and the record is whole")
        self.tell.said(self._typed("verify"))
        self.tell.said(self._typed("verify_audit"))

    def _agree(self, nren: str, request: str) -> None:
        row = self.nrens[nren].consent(int(request), "expected")
        self.tell.note(f"{nren} agrees: consent {row['consent']}")

    def _push_change_of(self, nren: str, request: str, says: str = "") -> None:
        """The newest open change of a request: shown (with `says` in it), approved with its gaps, pushed."""
        number = str(self.nrens[nren].wait_for_change(int(request), "PLANNED")["id"])
        shown = self._typed("plan", "--show", number)
        self.tell.said(shown, most=WHOLE)
        if says not in shown:
            raise DoorFailed(f"the plan does not say {says!r}")
        self._carry_out(number)

    def _carry_out(self, number: str) -> None:
        """Approve a change, with its gaps where it names any, and push it."""
        answer = self._typed("approve", number, "--as", "boris", "--reason", "read it", expect=(0, 1, 2))
        self.tell.said(answer)
        if "is approved by" not in answer:
            self.tell.said(
                self._typed("approve", number, "--as", "boris", "--reason", "read it", "--confirm-gaps")
            )
        self.tell.said(ended(self._typed("push", number, "--as", "boris", "--wait")))

    def _show_whole(self, number: str) -> None:
        """What the baseline writes, as somebody would type it, with what is said of it."""
        shown = self._typed("plan", "--show", number)
        if self.shown_whole:
            blocks = shown.split("\n\n")
            shown = "\n\n".join(
                block
                for block in blocks
                if block.startswith(tuple(f"=== {name} " for name in self.shown_whole))
            )
        self.tell.said(shown, most=WHOLE)

    def _show_pushes(self, change: dict[str, Any]) -> None:
        width = max((len(push["router"]) for push in change["pushes"]), default=0)
        for push in change["pushes"]:
            self.tell.said(
                f"{push['router']:{width}} {push['phase']:8} {push['lines']:3} lines  {push['state']}"
            )

    def _typed(self, *words: str, expect: tuple[int, ...] = (0,)) -> str:
        self.tell.typed("manage.py " + " ".join(f'"{word}"' if " " in word else word for word in words))
        return self.house.manage(*words, expect=expect)


def _detail(refused: str) -> str:
    """What a problem document says is wrong, field by field; the text as it is when it is none."""
    try:
        problem = json.loads(refused[refused.index("{") :])
    except ValueError:
        return refused
    errors = problem.get("errors") or []
    lines = [f"{str(each.get('pointer', 'request')).strip('#/')}: {each['reason']}" for each in errors]
    return "\n".join(
        [f"{problem.get('status')} {problem.get('title')}", *(lines or [str(problem.get("detail"))])]
    )


def ended(printed: str) -> str:
    """The outcome at the end of what `push` printed, without the progress before it."""
    return printed.rpartition("\n\n")[2]
