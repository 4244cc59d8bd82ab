"""The tables of docs/reference/platforms.md, made from the tables the product judges by."""

from __future__ import annotations

from collections.abc import Iterator

from provisioning.pipeline.mqc import Percent, Police, Priority
from provisioning.pipeline.platforms import KINDS, Profile, profile
from provisioning.pipeline.platforms.gates import GATES
from provisioning.pipeline.platforms.limits import Limit
from provisioning.pipeline.platforms.rules import RULES
from provisioning.pipeline.rendering import Renderer
from provisioning.selectors.templates import ios_environment

BEGIN, END = "<!-- tables: begin -->", "<!-- tables: end -->"
COLUMNS: dict[str, tuple[str, str]] = {
    "12000, 12.0(28)S": ("cisco-12400", "12.0(28)S"),
    "7200, 12.2(15)T2": ("cisco-7200vxr", "12.2(15)T2"),
    "7200, 12.3(14)T": ("cisco-7200vxr", "12.3(14)T"),
    "7200, 15.2(4)M": ("cisco-7200vxr", "15.2(4)M"),
    "ASR 1000, 16.9.4": ("asr1000", "16.9.4"),
    "ISR 4000, 17.6.1": ("isr4000", "17.6.1"),
    "Linux, 6.1": ("linux", "6.1"),
}
_PROPERTIES = (
    ("HQF", "hqf"),
    ("`police cir percent`", "police_percent"),
    ("`police` opens a mode", "police_submode"),
    ("bare `priority`", "bare_priority"),
    ("`fair-queue`", "fair_queue"),
    ("largest sum of shares in percent", "shared_percent"),
    ("DSCPs print as names", "named_dscp"),
    ("default bursts are printed", "expands_bursts"),
    ("class-map and policy-map one blank in", "leading_blank"),
    ("`police` on one line, blanks doubled", "single_line_police"),
    ("IPv6 entries always with `sequence`", "ipv6_sequences"),
    ("IPv4 entries with their number", "ipv4_sequences"),
    ("what is marked is counted", "marker_statistics"),
    ("`show running-config | section`", "section_filter"),
    ("archive, and differences on the box", "archive"),
    ("`configure replace`", "configure_replace"),
    ("`configure terminal revert`", "revert_timer"),
)


def tables() -> str:
    """Everything between the two marks of the page."""
    return "\n".join([*_spelling(), "", *_rules(), "", *_limits(), "", *_gates()]) + "\n"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _head(*names: str) -> Iterator[str]:
    yield _row(list(names))
    yield _row(["---"] * len(names))


def _spelling() -> Iterator[str]:
    profiles = {name: profile(*platform) for name, platform in COLUMNS.items()}
    renderer = Renderer(ios_environment())
    yield "## What is emitted, and how it is printed"
    yield ""
    yield from _head("", *profiles)
    yield _row(["EF queue", *(f"`{_priority(renderer, each)}`" for each in profiles.values())])
    yield _row(
        [
            "class-default",
            *(", ".join(f"`{line}`" for line in each.default_queue) for each in profiles.values()),
        ]
    )
    policer = Police(Percent(5))  # type: ignore[arg-type]
    yield _row(["policer", *(f"`{renderer.action_lines(policer, each)[0]}`" for each in profiles.values())])
    for title, name in _PROPERTIES:
        yield _row([title, *(_word(getattr(each, name)) for each in profiles.values())])


def _priority(renderer: Renderer, each: Profile) -> str:
    return renderer.action_lines(Priority() if each.bare_priority else Priority("percent", 20), each)[0]


def _called(kind: str) -> str:
    return {"IOS-XE": "IOS-XE", "linux": "Linux"}.get(kind, f"the {kind}")


def _word(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _rules() -> Iterator[str]:
    for kind in KINDS:
        yield f"## What {_called(kind.name)} does not take"
        yield ""
        yield from _head("Rule", "What", "Answer", "How well known", "From where")
        for rule in RULES:
            verdict = kind.verdicts.get(rule.code)
            if verdict is not None:
                evidence = verdict.evidence
                yield _row(
                    [f"`{rule.code}`", rule.about, verdict.severity.value, evidence.tag.word, evidence.source]
                )
        yield ""


def _limits() -> Iterator[str]:
    yield "## Ranges"
    yield ""
    yield from _head("Rule", "Platforms", "From", "To", "Unit", "Answer", "How well known", "From where")
    alike: dict[tuple[str, Limit], list[str]] = {}
    for code in dict.fromkeys(code for kind in KINDS for code in kind.limits):
        for kind in KINDS:
            if code in kind.limits:
                alike.setdefault((code, kind.limits[code]), []).append(kind.name)
    for (code, row), names in alike.items():
        kinds = "all" if len(names) == len(KINDS) else ", ".join(names)
        said = [row.severity.value, row.evidence.tag.word, row.evidence.source]
        yield _row([f"`{code}`", kinds, f"{row.least:,}", f"{row.most:,}", row.unit, *said])


def _gates() -> Iterator[str]:
    yield "## First releases"
    yield ""
    yield from _head("Command", "Mainline and T", "S", "IOS-XE", "How well known", "From where")
    for gate in GATES.values():
        first = [gate.first.get(family, "not known") for family in ("T", "S", "XE")]
        yield _row([gate.feature, *first, gate.evidence.tag.word, gate.evidence.source])
