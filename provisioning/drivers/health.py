"""A look at how a router fares, in one write over the open session: NAPALM's getters are given what was said, and open nothing.

BGP is ``get_bgp_neighbors``. Adjacencies of IS-IS and OSPF, for which NAPALM has no getter on IOS, are read from the CLI; so
is the processor: ``get_environment`` knows no five seconds, takes an answer without figures for 0.0 %, and a router without BGP
is spared the import. Whatever is not understood is said to be unseen: a row nobody can read is no lost neighbour, and a
getter that finds nothing in a refusal is no healthy router.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from ipaddress import ip_address
from typing import Any, Final

from provisioning.drivers.base import RouterDriver
from provisioning.drivers.judging import judge_reading
from provisioning.pipeline.health import Asked, Cpu, Health, Neighbour
from provisioning.pipeline.health.values import Protocol

Rows = dict[str, Neighbour]
Said = Mapping[str, str]

CPU: Final = "show processes cpu | include CPU utilization"
SUMMARY: Final = "show bgp all summary"
OLD_SUMMARIES: Final = ("show ip bgp summary", "show bgp ipv6 unicast summary")
"""Where ``show bgp all`` is not known (12.0S)."""
ADJACENCIES: Final[dict[Protocol, str]] = {
    "IS-IS": "show clns neighbors",  # every IOS has it, and it shows an adjacency that is IPv6 alone
    "OSPF": "show ip ospf neighbor",
    "OSPFv3": "show ipv6 ospf neighbor",
}
_LINES_READ: Final = "|".join((
    "BGP neighbor is", "BGP version", "BGP state", "For address family", "Prefixes Current", "Saved .soft-reconfig",
    "Local Policy Denied",
))  # fmt: skip
"""Of some eighty lines on each neighbour, those that the getter reads."""
_CPU_LINE: Final = re.compile(r"five seconds: (\d+)%(?:/\d+%)?; one minute: (\d+)%; five")
_BGP_ROW: Final = re.compile(
    r"^\*?(?P<name>[0-9A-Fa-f.:]+)\s+4\s+\d+(?:\.\d+)?(?:\s+\d+){5}\s+(?P<since>\S+)\s+(?P<state>\S.*?)\s*$"
)
_CLNS_ROW: Final = re.compile(
    r"^(?P<name>\S+)\s+(?P<interface>\S+)\s+\S+\s+(?P<state>Up|Init|Down)\s+\d+\s+\S+\s+(?P<protocol>\S.*?)\s*$"
)
_OSPF_ROW: Final = re.compile(
    r"^(?P<name>\d+\.\d+\.\d+\.\d+)\s+\d+\s+(?P<state>\w+/\s*[\w-]+)\s+\S+\s+\S+\s+(?P<interface>\S+)\s*$"
)
_HEADING: Final = re.compile(
    r"^(?:System Id|Tag|Area|Neighbor ID|\s*OSPFv3|Load for|Time source|% ?OSPF|% ?CLNS)\b", re.I
)


def read_health(driver: RouterDriver, asked: Asked) -> Health:
    """One look at a router that runs what ``asked`` says; interfaces are left to the caller, who has them from elsewhere.

    Costs one exchange; a second one where BGP runs and ``show bgp all`` is not known. Raises ``SessionLost``.
    """
    families = ("ipv4 unicast", "ipv6 unicast", *asked.families)
    details = {
        plain: f"{plain} | include {_LINES_READ}" for plain in (_details(family) for family in families)
    }
    commands = [CPU, *(ADJACENCIES[each] for each in ADJACENCIES if each in asked.protocols)]
    if "BGP" in asked.protocols:
        commands += [SUMMARY, *details.values()]
    said = dict(zip(commands, driver.ask(commands), strict=True))
    looking = _Looking()
    looking.processor(said)
    for protocol, command in ADJACENCIES.items():
        if command in said:
            looking.take(protocol, command, partial(_adjacencies, protocol, said[command]))
    if "BGP" in asked.protocols:
        looking.bgp(driver, said, details)
    return looking.health()


class _Looking:
    """What was seen so far, and what could not be."""

    def __init__(self) -> None:
        self._neighbours: dict[tuple[Protocol, str], Neighbour] = {}
        self._looked: set[Protocol] = set()
        self._cpu: Cpu | None = None
        self._unseen: list[str] = []

    def health(self) -> Health:
        return Health(self._neighbours, frozenset(self._looked), {}, self._cpu, tuple(self._unseen))

    def take(self, protocol: Protocol, command: str, read: Callable[[], Rows]) -> None:
        """Take the neighbours that ``read`` finds in the answer to a command, or say why there are none."""
        try:
            rows = read()
        except Exception as error:  # noqa: BLE001 - NAPALM's getters raise whatever the text makes them
            self._unseen.append(f"{protocol}: `{command}`: {error or type(error).__name__}")
            return
        self._neighbours |= {(protocol, name): row for name, row in rows.items()}
        self._looked.add(protocol)

    def processor(self, said: Said) -> None:
        line = _CPU_LINE.search(said[CPU])
        if line is None:
            self._unseen.append(f"the processor: `{CPU}`: {_words(said[CPU])}")
        else:
            self._cpu = Cpu(int(line[1]), int(line[2]))

    def bgp(self, driver: RouterDriver, said: Said, details: Mapping[str, str]) -> None:
        """The sessions of BGP; where the router does not know ``show bgp all``, from the older summaries."""
        if judge_reading(said[SUMMARY]) is None:
            answers = {SUMMARY: said[SUMMARY], **{plain: said[full] for plain, full in details.items()}}
            self.take("BGP", SUMMARY, partial(_sessions, answers))
            return
        older = driver.ask(OLD_SUMMARIES)

        def read() -> Rows:
            if refused := judge_reading(older[0]):
                raise ValueError(refused)
            return _summary("\n".join(text for text in older if judge_reading(text) is None))

        self.take("BGP", OLD_SUMMARIES[0], read)


def _sessions(answers: Said) -> Rows:
    """Every neighbour of the summary, as the getter has it where it names it (it leaves out some releases' neighbours)."""
    rows = _summary(answers[SUMMARY])
    try:
        told: dict[str, Any] = _getters(answers).get_bgp_neighbors()
    except Exception:  # noqa: BLE001 - it asserts that families agree, among others; the summary has every neighbour
        told = {}
    for routing in told.values():
        for address, peer in routing["peers"].items():
            row = rows.get(address)
            up, enabled = bool(peer["is_up"]), bool(peer["is_enabled"])
            state = "Established" if up else row.state if row is not None else "not established"
            rows[address] = Neighbour(state, up, not enabled)
    return rows


def _summary(text: str) -> Rows:
    """The rows of a summary; a long address has a line of its own. A neighbour of several families is up if it is in any."""
    rows: Rows = {}
    pending, within = "", False
    for line in text.splitlines():
        if line.startswith("Neighbor "):
            within, pending = True, ""
        elif line.startswith(("For address family", "BGP router identifier")):
            within = False
        elif within and line.strip() and not line.startswith(("* ", "Total dynamic")):
            whole = f"{pending} {line.strip()}".strip()
            match = _BGP_ROW.match(whole)
            if match is None and not pending and " " not in whole:
                pending = whole
                continue
            if match is None:
                raise ValueError(f"a row that is not understood: {whole[:80]!r}")
            pending = ""
            name, state = str(ip_address(match["name"])), match["state"]
            up = state.isdigit()
            if name not in rows or not rows[name].up:
                rows[name] = Neighbour("Established" if up else state, up, "(Admin)" in state)
    return rows


def _adjacencies(protocol: Protocol, text: str) -> Rows:
    if refused := judge_reading(text):
        raise ValueError(refused)
    rows: Rows = {}
    pattern = _CLNS_ROW if protocol == "IS-IS" else _OSPF_ROW
    for line in text.splitlines():
        if not line.strip() or _HEADING.match(line):
            continue
        match = pattern.match(line)
        if match is None:
            raise ValueError(f"a row that is not understood: {line.strip()[:80]!r}")
        state = re.sub(r"/\s+", "/", match["state"])
        if protocol == "IS-IS" and "IS-IS" not in match["protocol"] and "ISIS" not in match["protocol"]:
            continue  # an end system is no adjacency
        name = f"{match['name']} on {match['interface']}"
        up = state == "Up" if protocol == "IS-IS" else state.startswith(("FULL", "2WAY"))
        if name not in rows or not rows[name].up:
            rows[name] = Neighbour(state, up)
    return rows


def _details(family: str) -> str:
    """The command of the getter for the neighbours of one address family."""
    every = " all" if family.startswith("vpn") or family.endswith("mdt") else ""
    return f"show bgp {family}{every} neighbors"


def _words(text: str) -> str:
    return judge_reading(text) or f"not understood: {text.strip()[:80]!r}"


class _Told:
    """In place of NAPALM's connection: answers what was asked already; nothing of a family that the router does not have."""

    def __init__(self, answers: Said) -> None:
        self._answers = answers

    def send_command(self, command: str, *_: Any, **__: Any) -> str:
        return self._answers.get(command, "")


def _getters(answers: Said) -> Any:
    """NAPALM's IOS driver over what was said."""
    # Imported when used: napalm takes a second to import, which no page or plan should wait for.
    from napalm.ios.ios import IOSDriver

    class Getters(IOSDriver):  # type: ignore[misc] # napalm has no types
        def __del__(self) -> None:
            """Nothing: NAPALM's own closes a session."""

    getters = Getters("", "", "", optional_args={"auto_file_prompt": False})
    getters.device = _Told(answers)
    return getters
