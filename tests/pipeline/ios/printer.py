"""A printer of MQC models that shares nothing with the project's: it writes every spelling ios-facts
section 1 lists.

``choose`` picks among the spellings of one place; hypothesis draws it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from provisioning.pipeline import mqc

Choose = Callable[[Sequence[Any]], Any]

NAMES = {0: "default", 46: "ef", **{8 * n: f"cs{n}" for n in range(1, 8)}}
NAMES.update({8 * c + 2 * d: f"af{c}{d}" for c in (1, 2, 3, 4) for d in (1, 2, 3)})
PORTS = {("tcp", "53"): "domain", ("udp", "53"): "domain", ("tcp", "80"): "www", ("udp", "123"): "ntp"}


class Printer:
    def __init__(self, choose: Choose) -> None:
        self.choose = choose

    def tail(self) -> str:
        return self.choose(["", " ", "   "])

    def gap(self) -> str:
        return self.choose([" ", "  "])

    def dscp(self, value: int) -> str:
        return self.choose([str(value), NAMES.get(value, str(value)), NAMES.get(value, str(value)).upper()])

    def class_map(self, model: mqc.ClassMap) -> list[str]:
        mode = "" if model.mode == "match-all" and self.choose([False, True]) else f"{model.mode} "
        lines = [f"class-map {mode}{model.name}{self.tail()}"]
        if model.description:
            lines.append(f"  description {model.description}{self.tail()}")
        pad = self.choose([" ", "  "])
        for match in self.shuffled(model.matches):
            lines.append(f"{pad}match {'not ' if match.negated else ''}{self.match(match)}{self.tail()}")
        return lines

    def shuffled(self, things: Any) -> list[Any]:
        ordered = sorted(things, key=repr)
        return list(reversed(ordered)) if self.choose([False, True]) else ordered

    def match(self, match: mqc.Match) -> str:
        kind = match.kind
        if kind == "any":
            return "any"
        if kind == "opaque":
            return " ".join(str(value) for value in match.values)
        if kind == "access-group":
            (value,) = match.values
            return f"access-group {value}" if isinstance(value, int) else f"access-group name {value}"
        written = [self.dscp(v) if kind.endswith("dscp") else str(v) for v in self.shuffled(match.values)]
        lead = self.choose(["", " "]) if kind in ("dscp", "cos") else ""
        return f"{lead}{kind}{self.gap()}{self.gap().join(written)}"

    def policy_map(self, model: mqc.PolicyMap) -> list[str]:
        lines = [f"policy-map {model.name}{self.tail()}"]
        if model.description:
            lines.append(f"  description {model.description}")
        for entry in model.classes:
            lines.append(f" class {entry.name}{self.tail()}")
            for action in self.shuffled(entry.actions):
                lines += [f"{self.choose(['  ', '   ', '    '])}{line}" for line in self.action(action)]
        if not any(entry.name == "class-default" for entry in model.classes) and self.choose([False, True]):
            lines.append(" class class-default")
        return lines

    def action(self, action: Any) -> list[str]:
        if isinstance(action, mqc.Police):
            return self.police(action)
        if isinstance(action, mqc.RandomDetect):
            return self.wred(action)
        return [self.plain(action) + self.tail()]

    def plain(self, action: Any) -> str:
        match action:
            case mqc.SetField(field, str(value)):
                return f"set {field} {value.replace(' ', self.gap())}"
            case mqc.SetField(field, value):
                return f"set {field} {self.dscp(value) if field.endswith(('dscp', 'dscp tunnel')) else value}"
            case mqc.Priority(None):
                return "priority"
            case mqc.Priority(kind, value, burst):
                return f"priority {'' if kind == 'kbps' else kind} {value} {burst if burst else ''}"
            case mqc.Bandwidth("kbps", value):
                return f"bandwidth {value}"
            case mqc.Bandwidth(kind, value):
                return f"bandwidth {kind} {value}"
            case mqc.Shape(kind, rate, burst):
                return f"shape {kind} {rate.value} {burst.value if burst else ''}"
            case mqc.QueueLimit(value, unit):
                hidden = unit == "packets" and self.choose([False, True])
                return f"queue-limit {value}{'' if hidden else ' ' + unit}"
            case mqc.FairQueue(queues):
                return f"fair-queue {queues if queues else ''}"
            case mqc.ChildPolicy(name):
                return f"service-policy {name}"
        raise AssertionError(action)

    def rate(self, rate: mqc.Rate) -> str:
        return f"percent {rate.value}" if isinstance(rate, mqc.Percent) else str(rate.value)

    def burst(self, burst: Any) -> str:
        return f"{burst.value} ms" if isinstance(burst, mqc.BurstMs) else str(burst.value)

    def police(self, model: mqc.Police) -> list[str]:
        long = model.keyword == "rate"
        by_place = model.excess_burst is not None and model.violate is None
        word = "rate " if long else self.choose(["cir ", ""])
        head = f"police {word}{self.rate(model.rate)}"
        burst = model.burst
        if by_place:
            first = burst or mqc.BurstBytes(max(1500, model.rate.value // 32))
            head = f"police {self.rate(model.rate)} {self.burst(first)} {self.burst(model.excess_burst)}"
        elif burst is None and isinstance(model.rate, mqc.Bps) and self.choose([False, True]):
            burst = mqc.BurstBytes(max(1500, model.rate.value // 32))
        if burst is not None and not by_place:
            head += f" {'burst' if long else 'bc'} {self.burst(burst)}"
        if model.peak_rate is not None:
            head += f" {'peak-rate' if long else 'pir'} {self.rate(model.peak_rate)}"
        if model.excess_burst is not None and not by_place:
            head += f" {'peak-burst' if long else 'be'} {self.burst(model.excess_burst)}"
        defaults = {"conform": ("transmit",), "exceed": ("drop",), "violate": None}
        if (model.peak_rate is not None or model.excess_burst is not None) and not by_place:
            defaults["violate"] = ("drop",)
        colours = []
        for colour, default in defaults.items():
            done = getattr(model, colour)
            if done is None or (done == default and self.choose([False, True])):
                continue
            colours += [f"{colour}-action {self.police_action(each)}" for each in done]
        if self.choose([False, True]):
            blank = [""] if self.choose([False, True]) else []
            return [head + self.tail(), *blank, *(f"   {colour}{self.tail()}" for colour in colours)]
        return [f"{head} {self.gap().join(colours)}{self.tail()}"]

    def police_action(self, text: str) -> str:
        found = re.fullmatch(r"set-dscp-transmit (\d+)", text)
        return f"set-dscp-transmit {self.dscp(int(found[1]))}" if found else text

    def wred(self, model: mqc.RandomDetect) -> list[str]:
        lines = []
        if model.mode == "dscp":
            if not model.thresholds or self.choose([False, True]):
                lines.append("random-detect dscp-based")
        else:
            lines.append("random-detect" + self.choose(["", " precedence-based"]))
        for threshold in self.shuffled(model.thresholds):
            value = self.dscp(threshold.value) if model.mode == "dscp" else threshold.value
            unit = "" if threshold.unit == "packets" else f" {threshold.unit}"
            line = (
                f"random-detect {model.mode} {value}  {threshold.minimum}{unit}   {threshold.maximum}{unit}"
            )
            if threshold.denominator != 10 or self.choose([False, True]):
                line += f" {threshold.denominator}"
            lines.append(line + self.tail())
        if model.weight is not None or self.choose([False, True]):
            lines.append(f"random-detect exponential-weighting-constant {model.weight or 9}")
        if model.ecn:
            lines.append("random-detect ecn")
        return lines

    def access_list(self, model: mqc.AccessList) -> list[str]:
        header = (
            f"ip access-list extended {model.name}" if model.family == 4 else f"ipv6 access-list {model.name}"
        )
        numbered = (
            self.choose([False, True]) if all(entry.remark is None for entry in model.entries) else True
        )
        lines = [header]
        for entry in model.entries:
            number = (
                ""
                if not numbered
                else f"sequence {entry.sequence} "
                if model.family == 6
                else f"{entry.sequence} "
            )
            lines.append(f" {number}{self.entry(entry)}{self.tail()}")
        return lines

    def port(self, protocol: str, number: str) -> str:
        return self.choose([number, PORTS.get((protocol, number), number)])

    def entry(self, entry: mqc.AccessEntry) -> str:
        if entry.remark is not None:
            return entry.text
        text = re.sub(r"dscp (\d+)", lambda found: f"dscp {self.dscp(int(found[1]))}", entry.text)
        protocol = text.split()[1]
        text = re.sub(r"eq (\d+)", lambda found: f"eq {self.port(protocol, found[1])}", text)
        if self.choose([False, True]):
            text = re.sub(r"2001:db8\S*", lambda found: found[0].upper(), text)
        if self.choose([False, True]):
            text = re.sub(r"host (2001\S+)", r"\1/128", text)
            text = re.sub(r"host (192\S+)", r"\1 0.0.0.0", text)
        return text.replace("deny ip ", self.choose(["deny ip ", "deny   ip "]))
