"""The story of 6NET: a baseline, a request that needs no line, one that is refused, one that swaps a policy, the way back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from provisioning.management.demo.api import Nren
from provisioning.management.demo.house import DoorFailed, House
from provisioning.management.demo.narration import Narrator
from provisioning.pipeline.units import rate_text

NETWORK = Path("inventory/networks/6net.yaml")
JANET, GRNET, SURFNET = "JANET@uk6:POS1/0", "GRNET@gr6:POS2/0", "SURFnet@nl6:GigabitEthernet1/0"
NOC = {"alice": "plans", "boris": "decides and approves"}
USERS = {"JANET": "jane", "GRNET": "giorgos", "SURFnet": "sanne"}


class SixnetStory:
    """Told on one house; each chapter raises DoorFailed when what it tells is not what happened."""

    def __init__(self, house: House, tell: Narrator, password: str) -> None:
        self.house, self.tell, self.password = house, tell, password
        self.nrens: dict[str, Nren] = {}

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        granted = self.two_megabits()
        self.eight_megabits()
        self.onboard()
        filtered = self.one_megabit_filtered()
        self.way_back(granted, filtered)

    def import_network(self) -> None:
        self.tell.step("Import the 6NET network")
        self.tell.said(self._typed("import_inventory", "6net").splitlines()[-1])

    def practice_routers(self) -> None:
        self.tell.step("Start a practice router for each of the nine, over SSH on loopback, host keys pinned")
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
        for nren, user in USERS.items():
            self.house.manage("person", user, "--nren", nren, "--password-stdin", stdin=self.password + "\n")
            printed = self.house.manage("token", nren, "--user", user)
            token = next(word for word in printed.split() if word.startswith("exp_"))
            self.nrens[nren] = Nren(self.house.url, nren, token)
            self.tell.note(f"{user} speaks for {nren}")

    def baseline(self) -> None:
        self.tell.step("Plan the baseline: every edge marked and policed, then the core queues")
        planned = json.loads(
            self._typed("plan", "--as", "alice", "--reason", "baseline of May 2004", "--json")
        )
        number = str(planned["id"])
        self._show_pushes(planned)
        self.tell.step("Approve it: alice planned, so alice cannot")
        self.tell.said(self._typed("approve", number, "--as", "alice", expect=(1,)))
        self.tell.said(
            self._typed("approve", number, "--as", "boris", "--reason", "agreed at the NOC meeting")
        )
        self.tell.step("Push it: all edges on all nine routers, and only then a priority queue anywhere")
        self.tell.said(ended(self._typed("push", number, "--as", "boris", "--wait")))
        self.tell.said(self._typed("verify"))

    def two_megabits(self) -> int:
        self.tell.step("JANET asks for 2 Mbit/s to GRNET")
        request = self._ask("JANET", JANET, GRNET, 2_000_000, "2001:630:8:4::/64", "2001:648:0:1002::/64")
        self._agree("GRNET", request)
        self.tell.said(self._typed("admit", request, "--as", "boris", "--reason", "fits everywhere"))
        seen = self.nrens["JANET"].wait_for(int(request), "ACTIVE")
        self.tell.note(
            "TRUSTED-IN with `percent 5` stands on JANET's link already: the plan is empty, and reading decides."
        )
        self.tell.note(
            f"{seen['reference']} is {seen['state']}: every router concerned was read and is in sync."
        )
        return int(request)

    def eight_megabits(self) -> None:
        self.tell.step("JANET asks for 8 Mbit/s more")
        request = self._ask("JANET", JANET, GRNET, 8_000_000, "2001:630:8:4::/64", "2001:648:0:1002::/64")
        self._agree("GRNET", request)
        self.tell.said(self._typed("admit", request, "--as", "boris", "--reason", "trying", expect=(1,)))
        self.tell.said(
            self._typed("refuse", request, "--as", "boris", "--reason", "beyond 5 % of the access link")
        )

    def onboard(self) -> None:
        self.tell.step(
            "Onboard SURFnet as filtered: the backbone marks, while a reservation sends from the link"
        )
        text, changed = re.subn(
            r"(\{nren: SURFnet,.*?)case: non-participant, standing: true",
            r"\1case: filtered, standing: false",
            (self.house.root / NETWORK).read_text(),
        )
        if changed != 1:
            raise DoorFailed(f"{NETWORK} has no non-participant link of SURFnet to onboard")
        file = self.house.directory / "6net-with-surfnet.yaml"
        file.write_text(text)
        self.tell.note("case: non-participant, standing: true  ->  case: filtered, standing: false")
        report = self._typed("import_inventory", str(file))
        self.tell.said("\n".join(line for line in report.splitlines() if not line.startswith("unchanged")))

    def one_megabit_filtered(self) -> int:
        self.tell.step("SURFnet asks for 1 Mbit/s to GRNET")
        request = self._ask("SURFnet", SURFNET, GRNET, 1_000_000, "2001:610:1:2::/64", "2001:648:0:1002::/64")
        self._agree("GRNET", request)
        self.tell.said(self._typed("admit", request, "--as", "boris", "--reason", "fits everywhere"))
        self.tell.step("Its plan: nl6 only; the forced swap is named, and confirmed at the approval")
        self._push_change_of("SURFnet", request)
        seen = self.nrens["SURFnet"].wait_for(int(request), "ACTIVE")
        self.tell.note(f"{seen['reference']} is {seen['state']}.")
        return int(request)

    def way_back(self, granted: int, filtered: int) -> None:
        self.tell.step("Both are withdrawn; capacity is free when they are seen gone")
        self.nrens["JANET"].withdraw(granted, "the tests are over")
        seen = self.nrens["JANET"].wait_for(granted, "COMPLETED")
        self.tell.note(f"{seen['reference']} is {seen['state']}: nothing to take off, seen by reading.")
        self.nrens["SURFnet"].withdraw(filtered, "the tests are over")
        self._push_change_of("SURFnet", str(filtered))
        seen = self.nrens["SURFnet"].wait_for(filtered, "COMPLETED")
        self.tell.note(f"{seen['reference']} is {seen['state']}.")
        self.tell.step("All routers are back at the baseline, and the record is whole")
        self.tell.said(self._typed("verify"))
        self.tell.said(self._typed("verify_audit"))

    def leave_work(self) -> None:
        """A request that waits for a decision, so that whoever opens the site has something to decide."""
        self.tell.step("One more request waits in the queue, for you")
        request = self._ask("SURFnet", SURFNET, GRNET, 3_000_000, "2001:610:1:3::/64", "2001:648:0:1003::/64")
        self._agree("GRNET", request)

    def _ask(self, nren: str, source: str, destination: str, rate: int, own: str, theirs: str) -> str:
        self.tell.note(
            f"POST /api/v1/premium-requests/ as {nren}: {rate_text(rate)}, {source} to {destination}"
        )
        row = self.nrens[nren].ask(
            source_link=source,
            destination_link=destination,
            rate_bps=rate,
            bucket_bytes=15000,
            max_packet_bytes=1500,
            source_prefixes=[own],
            destination_prefixes=[theirs],
            contact=f"noc@{nren.lower()}.example",
            reason="QoS tests, D4.4.2v2 section 4",
        )
        self.tell.note(
            f"{row['reference']} is {row['state']}; consent of {row['receiving_nren']}: {row['consent']}"
        )
        return str(row["id"])

    def _agree(self, nren: str, request: str) -> None:
        row = self.nrens[nren].consent(int(request), "expected")
        self.tell.note(f"{nren} agrees: consent {row['consent']}")

    def _push_change_of(self, nren: str, request: str) -> None:
        """The newest open change of a request: shown, approved with its gaps, pushed."""
        number = str(self.nrens[nren].wait_for_change(int(request), "PLANNED")["id"])
        self.tell.said(self._typed("plan", "--show", number))
        self.tell.said(self._typed("approve", number, "--as", "boris", "--reason", "read it", expect=(1,)))
        self.tell.said(
            self._typed("approve", number, "--as", "boris", "--reason", "read it", "--confirm-gaps")
        )
        self.tell.said(ended(self._typed("push", number, "--as", "boris", "--wait")))

    def _show_pushes(self, change: dict[str, Any]) -> None:
        for push in change["pushes"]:
            self.tell.said(f"{push['router']:4} {push['phase']:8} {push['lines']:3} lines  {push['state']}")

    def _typed(self, *words: str, expect: tuple[int, ...] = (0,)) -> str:
        self.tell.typed("manage.py " + " ".join(f'"{word}"' if " " in word else word for word in words))
        return self.house.manage(*words, expect=expect)


def ended(printed: str) -> str:
    """The outcome at the end of what `push` printed, without the progress before it."""
    return printed.rpartition("\n\n")[2]
