"""running-config text in the manner of the train (ios-facts section 1)."""

from __future__ import annotations

from dataclasses import dataclass

from lab.names import DSCP_NAMES
from lab.printing_acl import access_list_lines
from lab.store import (
    Action,
    ClassMap,
    Configuration,
    Interface,
    Match,
    Police,
    PolicyClass,
    PolicyMap,
    RandomDetect,
    Shape,
    Share,
)
from lab.trains import Train

# ios-facts N24: some trains print actions in an order of their own
_FIXED = ("priority", "bandwidth", "police", "shape", "random-detect", "queue-limit", "fair-queue")

# Where lines kept as typed stand in a running-config; the first match counts, the rest go before the class-maps.
_EARLY = (
    "service",
    "boot",
    "logging",
    "enable",
    "username",
    "aaa",
    "clock",
    "ip subnet-zero",
    "ip cef",
    "ipv6",
)
_LATE = ("ip classless", "ip route", "ip http", "ipv6 route", "ip prefix-list", "ipv6 prefix-list", "tacacs-server",
         "radius-server")  # fmt: skip
_LAST = ("snmp-server",)
_TAIL = ("ntp", "scheduler")


@dataclass(frozen=True)
class Printer:
    """Prints the objects of one train; ``hqf_indent`` is the ragged indentation of 7200 12.4(20)T+ (ios-facts S3)."""

    train: Train

    @property
    def base(self) -> str:
        """ios-facts N27: 12.2T starts class-map and policy-map one blank to the right."""
        return " " if self.train.leading_blank else ""

    def blank(self, text: str) -> str:
        """A line with the trailing blank of ios-facts N1."""
        return f"{text} " if self.train.trailing_blank else text

    def dscp(self, value: int) -> str:
        """ios-facts N3, N3b."""
        return DSCP_NAMES.get(value, str(value)) if self.train.dscp == "name" else str(value)

    def class_map(self, item: ClassMap) -> list[str]:
        """A class-map; match-all is always printed (ios-facts N8)."""
        lines = [f"{self.base}class-map {item.mode} {item.name}"]
        if item.description:
            lines.append(f"{self.base}  description {item.description}")  # ios-facts N28
        inner = self.base + " " * self.train.indent
        return lines + [inner + self.match(match) for match in item.matches]

    def match(self, match: Match) -> str:
        """One match line; values two blanks apart (ios-facts N2, N5, N7, N9)."""
        negation = "not " if match.negated else ""
        kind = match.kind
        if kind == "dscp" and self.train.match_blanks == 2:
            kind = " dscp"
        if kind.endswith("dscp"):
            values = "  ".join(self.dscp(int(value)) for value in match.values)
        elif match.kind in ("cos", "vlan", "vlan inner") and self.train.release.is_xe:
            values = " " + "  ".join(str(value) for value in match.values)
        else:
            values = "  ".join(str(value) for value in match.values)
        text = f"match {negation}{kind} {values}".rstrip()
        return self.blank(text) if match.kind not in ("access-group name", "class-map") else text

    def policy_map(self, item: PolicyMap) -> list[str]:
        """A policy-map; order of classes kept (ios-facts N26)."""
        unit = " " * self.train.indent
        lines = [f"{self.base}policy-map {item.name}"]
        if item.description:
            lines.append(f"{self.base}{unit}description {item.description}")
        for entry in item.classes:
            lines.append(f"{self.base}{unit}class {entry.name}")
            lines += [self.base + line for line in self._actions(entry)]
        return lines

    def _actions(self, entry: PolicyClass) -> list[str]:
        words = list(entry.actions)
        if self.train.action_order == "fixed":
            words.sort(key=lambda word: _FIXED.index(word) if word in _FIXED else len(_FIXED))
        ragged = self.train.hqf and not self.train.release.is_xe
        lines: list[str] = []
        for word in words:
            inner = 2 * self.train.indent
            if ragged:
                inner = {"police": 3, "random-detect": 5}.get(word, 2 if word.startswith("set") else 4)
            indent = " " * inner
            lines += [indent + line for line in self.action(word, entry.actions[word])]
        return lines

    def action(self, word: str, action: Action) -> list[str]:
        """The lines of one action."""
        if isinstance(action, Police):
            return self.police(action)
        if isinstance(action, RandomDetect):
            return self._wred(action)
        if isinstance(action, Share):
            return [self._share(word, action)]
        if isinstance(action, Shape):
            return [self._shape(action)]
        if word.endswith("dscp"):
            return [f"{word} {self.dscp(int(action))}"]
        if word == "fair-queue":
            return [f"fair-queue {action}" if action else "fair-queue"]
        return [f"{word} {action}".rstrip()]

    def _share(self, word: str, share: Share) -> str:
        if share.unit == "strict":
            return self.blank("priority") if self.train.release.is_12_0s else "priority"
        unit = "" if share.unit == "kbps" else f"{share.unit} "
        if share.level is not None:
            word = f"{word} level {share.level}"
        burst = f" {share.burst}" if share.burst is not None else ""
        text = f"{word} {unit}{share.value}{burst}"
        return (
            self.blank(text) if share.unit.endswith("percent") and word == "bandwidth" else text
        )  # ios-facts N21

    def _shape(self, shape: Shape) -> str:
        if shape.percent:
            buckets = "".join(f" {burst} ms" for burst in (shape.bc, shape.be) if burst is not None)
            return f"shape {shape.mode} percent {shape.rate}{buckets}"
        text = f"shape {shape.mode} {shape.rate}"
        bc, be = shape.bc, shape.be
        if bc is None and self.train.expand_bursts:
            bc = be = shape.rate // 40  # ios-facts N30: 12.2 prints what it computed
        if bc is not None:
            text += f" {bc}" + (f" {be}" if be is not None else "")
        return text + ("   " if self.train.hqf else "")

    def _wred(self, wred: RandomDetect) -> list[str]:
        lines = ["random-detect" if wred.basis == "precedence" else f"random-detect {wred.basis}-based"]
        for point, low, high, mark, unit in wred.thresholds:
            name = self.dscp(point) if wred.basis == "dscp" else str(point)
            if not high:
                lines.append(f"random-detect {wred.basis} {name}")
                continue
            suffix = f" {unit}" if unit else ""
            shown = mark if mark is not None or self.train.leading_blank else 10  # ios-facts N22
            tail = f"   {shown}" if shown is not None else ""
            lines.append(f"random-detect {wred.basis} {name}   {low}{suffix}   {high}{suffix}{tail} ")
        if wred.weight != 9:
            lines.append(f"random-detect exponential-weighting-constant {wred.weight}")
        return [*lines, "random-detect ecn"] if wred.ecn else lines

    def police_rate(self, police: Police) -> str:
        """The ``police`` words without the actions (ios-facts N14, N15, N17-N19)."""
        words = ["police"] + ([police.spelling] if police.spelling not in ("", "percent") else [])
        words += ["percent", str(police.rate)] if police.percent else [str(police.rate)]
        if police.spelling == "rate" and not police.percent:
            words.append("bps")
        if police.spelling == "":
            bc, be = police.bc, police.be
            if bc is None and self.train.expand_bursts:
                bc = be = max(1500, police.rate // 32)
            elif be is None and self.train.expand_bursts:
                be = bc
            return " ".join(words + [str(burst) for burst in (bc, be) if burst is not None])
        ms = {"bc": " ms" if police.bc_ms else "", "be": " ms" if police.be_ms else ""}
        name = "burst" if police.spelling == "rate" else "bc"
        if police.bc is not None:
            words.append(f"{name} {police.bc}{ms['bc']}")
        peak, excess = ("peak-rate", "peak-burst") if police.spelling == "rate" else ("pir", "be")
        if police.pir is not None:
            words.append(f"{peak} percent {police.pir}" if police.percent else f"{peak} {police.pir}")
        if police.be is not None:
            words.append(f"{excess} {police.be}{ms['be']}")
        return " ".join(words)

    def police_actions(self, police: Police) -> list[tuple[str, str, bool]]:
        """(colour, action, goes without saying); violate only with a second bucket (ios-facts N16).

        A default violate-action is not left out where nothing else tells of the second bucket: the router would boot
        without it.
        """
        rows: list[tuple[str, str, bool]] = []
        for colour, typed, default in (
            ("conform-action", police.conform, "transmit"),
            ("exceed-action", police.exceed, "drop"),
            ("violate-action", police.violate, "drop"),
        ):
            if colour == "violate-action" and not police.two_buckets:
                continue
            actions = typed or (default,)
            said = actions == (default,) and (colour != "violate-action" or police.second_bucket_shown)
            rows += [(colour, self._police_action(action), said) for action in actions]
        return rows

    def _police_action(self, action: str) -> str:
        word, _, value = action.partition(" ")
        return f"{word} {self.dscp(int(value))}" if word == "set-dscp-transmit" else action

    def police(self, police: Police) -> list[str]:
        """The three shapes of ios-facts 1.2."""
        head = self.police_rate(police)
        actions = self.police_actions(police)
        shape = self.train.police_shape
        typed = (police.conform, police.exceed, police.violate) != (None, None, None)
        if shape == "B":
            return [self.blank(head + " " + "  ".join(f"{colour} {action}" for colour, action, _ in actions))]
        if shape == "C":
            actions = [row for row in actions if not row[2]]
        elif self.train.hqf and not typed and not police.percent:
            return [head]  # ios-facts N16: 7200 15.x printed `police 10000000` alone
        return [head] + ["  " + self._coloured(colour, action) for colour, action, _ in actions]

    def _coloured(self, colour: str, action: str) -> str:
        text = f"{colour} {action}"
        return self.blank(text) if action in ("transmit", "drop") else text

    def interface(self, item: Interface) -> list[str]:
        """An interface with its PVCs (ios-facts N29)."""
        lines = [f"interface {item.name} {item.subtype}".rstrip()]
        if item.description:
            lines.append(f" description {item.description}")
        if item.bandwidth is not None:
            lines.append(f" bandwidth {item.bandwidth}")
        if not (item.is_subinterface and item.ip is None):
            lines.append(f" ip address {item.ip}" if item.ip else " no ip address")
        if item.max_reserved is not None:
            lines.append(f" max-reserved-bandwidth {item.max_reserved}")
        if item.shutdown:
            lines.append(" shutdown")
        lines += [
            f" {line}" for line in item.other if not line.startswith(("crc", "pos", "clock", "ipv6 router"))
        ]
        lines += [f" ipv6 address {line}" for line in item.ipv6]
        lines += [f" {line}" for line in item.other if line.startswith("ipv6 router")]
        lines += [
            f" service-policy {way} {item.policies[way]}"
            for way in ("input", "output")
            if way in item.policies
        ]
        lines += [f" {line}" for line in item.other if line.startswith(("crc", "pos", "clock"))]
        for pvc in item.pvcs.values():
            lines.append(f" pvc {pvc.name} ")
            if pvc.service != "ubr" or pvc.rates:
                lines.append("  " + " ".join([pvc.service, *map(str, pvc.rates)]))
            lines += [f"  {line}" for line in pvc.other]
            lines += [
                f"  service-policy {way} {pvc.policies[way]}"
                for way in ("input", "output")
                if way in pvc.policies
            ]
            lines.append(" !")
        return lines

    def body(self, config: Configuration, clock_period: int) -> str:
        """The whole configuration from ``version`` to ``end``; ``ntp clock-period`` drifts (ios-facts N36)."""
        parts: list[list[str]] = [[f"version {self.train.release.version_line}"]]
        ranked = _ranked(config.lines)
        parts[0] += [line for line in ranked["early"] if line.removeprefix("no ").startswith("service")]
        parts.append([f"hostname {config.hostname}"])
        parts.append([line for line in ranked["early"] if not line.removeprefix("no ").startswith("service")])
        blocks = list(config.blocks.values())
        early = [b for b in blocks if b.header.split()[0] in ("archive", "controller", "crypto", "key")]
        parts += [[b.header, *(f" {line}" for line in b.lines)] for b in early]
        parts.append([line for item in self._class_maps(config) for line in self.class_map(item)])
        parts.append([line for item in children_first(config) for line in self.policy_map(item)])
        parts += [self.interface(item) for item in config.interfaces.values()]
        routers = [b for b in blocks if b.header.split()[0] in ("router", "ipv6")]
        parts += [[b.header, *(f" {line}" for line in b.lines)] for b in routers]
        parts.append(ranked["late"])
        parts += [access_list_lines(self.train, acl) for acl in config.access_lists.values()]
        parts += [
            [b.header, *(f" {line}" for line in b.lines)] for b in blocks if b.header.startswith("route-map")
        ]
        parts.append(ranked["last"])
        parts += [[f"banner {kind} ^C{text}^C"] for kind, text in config.banners.items()]
        lines = [[b.header, *(f" {line}" for line in b.lines)] for b in blocks if b.header.startswith("line")]
        parts.append([line for block in lines for line in block])
        parts.append([f"ntp clock-period {clock_period}" if line.startswith("ntp clock-period") else line
                      for line in ranked["tail"]])  # fmt: skip
        return "\n!\n".join("\n".join(part) for part in parts if part) + "\nend\n"

    def _class_maps(self, config: Configuration) -> list[ClassMap]:
        """ios-facts N25: neither sorted nor the order of entry."""
        items = list(config.class_maps.values())
        nested = {match.values[0] for item in items for match in item.matches if match.kind == "class-map"}
        if self.train.class_map_order == "newest-first":
            items.reverse()
        return sorted(items, key=lambda item: item.name not in nested)


def children_first(config: Configuration) -> list[PolicyMap]:
    """Policy-maps in order of entry, a child before its parent, so that the text can be loaded again."""
    done: dict[str, PolicyMap] = {}

    def visit(item: PolicyMap) -> None:
        if item.name in done:
            return
        for entry in item.classes:
            child = config.policy_maps.get(str(entry.actions.get("service-policy", "")))
            if child is not None:
                visit(child)
        done[item.name] = item

    for item in config.policy_maps.values():
        visit(item)
    return list(done.values())


def _ranked(lines: list[str]) -> dict[str, list[str]]:
    ranked: dict[str, list[str]] = {"early": [], "late": [], "last": [], "tail": []}
    for line in lines:
        plain = line.removeprefix("no ")
        if plain.startswith(_LATE):
            ranked["late"].append(line)
        elif plain.startswith(_LAST):
            ranked["last"].append(line)
        elif plain.startswith(_TAIL):
            ranked["tail"].append(line)
        else:
            ranked["early"].append(line)
    order = {word: index for index, word in enumerate(_EARLY)}

    def rank(line: str) -> int:
        plain = line.removeprefix("no ")
        return next((index for word, index in order.items() if plain.startswith(word)), len(order))

    ranked["early"].sort(key=rank)
    return ranked
