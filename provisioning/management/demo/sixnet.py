"""The story of 6NET: a baseline, a request that needs no line, one that is refused, one that swaps a policy, the way back."""

from __future__ import annotations

import json
import re
from pathlib import Path

from provisioning.management.demo.house import DoorFailed
from provisioning.management.demo.telling import Story

NETWORK = Path("inventory/networks/6net.yaml")
JANET, GRNET, SURFNET = "JANET@uk6:POS1/0", "GRNET@gr6:POS2/0", "SURFnet@nl6:GigabitEthernet1/0"
RENATER, GARR = "RENATER@fr6:GigabitEthernet1/0", "GARR@it6:Serial2/0"
OWN, THEIRS = "2001:630:8:4::/64", "2001:648:0:1002::/64"
USERS = {"JANET": "jane", "GRNET": "giorgos", "SURFnet": "sanne", "RENATER": "remi"}


class SixnetStory(Story):
    """The backbone of May 2004."""

    network = "6net"
    routers_told = "each of the nine"
    shown_whole = ("uk6",)
    users = USERS
    baseline_reason = "baseline of May 2004"
    why_asked = "QoS tests, D4.4.2v2 section 4"

    def run(self) -> None:
        """Every chapter, in order."""
        self.import_network()
        self.practice_routers()
        self.people()
        self.baseline()
        self.what_fits()
        granted = self.two_megabits()
        self.eight_megabits()
        self.grants_and_back(granted)
        self.onboard()
        filtered = self.one_megabit_filtered()
        self.way_back(granted, filtered)

    def what_fits(self) -> None:
        """The evidence an NREN reads before anybody has decided; each is withdrawn again."""
        self.tell.step("What would fit, to the step, before anything is granted")
        self._would("JANET", True, JANET, GRNET, 7_729_000, OWN, THEIRS)
        self._would("JANET", False, JANET, GRNET, 7_750_000, OWN, THEIRS)
        self.tell.note(
            "7.75 Mbit/s are the share, and with their headers more than `percent 5` lets through."
        )
        self._would("JANET", False, JANET, GRNET, 7_760_000, OWN, THEIRS)
        self._would("JANET", True, JANET, GRNET, 5_000_000, OWN, THEIRS, direction="both")
        at = self._would("RENATER", False, RENATER, GRNET, 20_000_000, "2001:660:1::/64", THEIRS)
        if at != {GRNET}:
            raise DoorFailed(f"RENATER's 20 Mbit/s are refused at {at}, not at GRNET's link only")
        self.tell.note("Refused at GRNET only: RENATER's own link has 50 Mbit/s to give.")
        self._would("JANET", True, JANET, GARR, 102_400, OWN, "2001:760:4::/64")
        self._would("JANET", False, JANET, GARR, 102_500, OWN, "2001:760:4::/64")

    def two_megabits(self) -> int:
        self.tell.step("JANET asks for 2 Mbit/s to GRNET")
        request = self._ask("JANET", JANET, GRNET, 2_000_000, OWN, THEIRS)
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
        request = self._ask("JANET", JANET, GRNET, 8_000_000, OWN, THEIRS)
        self._agree("GRNET", request)
        self.tell.said(self._typed("admit", request, "--as", "boris", "--reason", "trying", expect=(1,)))
        self.tell.said(
            self._typed("refuse", request, "--as", "boris", "--reason", "beyond 5 % of the access link")
        )

    def grants_and_back(self, granted: int) -> None:
        """D4.4.2v2 section 2.5 a polices "according to already granted partners requests", Appendix A to the cap."""
        self.tell.step(
            "Switch the live domain to policing by grants (section 2.5 a): a policy per access interface"
        )
        self._switch("cap", "grants", "police to what is granted")
        held = self._typed("plan", "--as", "alice", "--reason", "what is left to do", "--json")
        if json.loads(held)["state"] != "VERIFIED":
            raise DoorFailed("the routers do not hold the policers that were granted")
        self.tell.note(
            f"JANET's EF is policed to the 2 Mbit/s of PIP-{granted}; DFN has no grant, so its EF becomes BE."
        )
        self.tell.step("And back to the cap of Appendix A")
        self._switch("grants", "cap", "back to Appendix A")

    def _switch(self, old: str, new: str, reason: str) -> None:
        text = (self.house.root / NETWORK).read_text()
        if "  policer: cap " not in text:
            raise DoorFailed(f"{NETWORK} has no policer to switch")
        file = self.house.directory / f"6net-{new}.yaml"
        file.write_text(text.replace("  policer: cap ", f"  policer: {new} "))
        self.tell.note(f"policer: {old}  ->  policer: {new}")
        self._typed("import_inventory", str(file))
        planned = json.loads(self._typed("plan", "--as", "alice", "--reason", reason, "--json"))
        self._show_pushes(planned)
        self._carry_out(str(planned["id"]))
        self.tell.said(self._typed("verify"))

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
        request = self._ask("SURFnet", SURFNET, GRNET, 1_000_000, "2001:610:1:2::/64", THEIRS)
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
