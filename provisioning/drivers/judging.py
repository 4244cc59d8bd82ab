"""Silence or refusal? In configuration mode anything that is not known to be harmless is a refusal.

MQC refusals often carry no ``%`` (ios-facts 3.3), so a list of error patterns would take them for success,
as NAPALM and Netmiko's defaults do. The list here is the other way round: it names what may be said,
everything else stops the push. ``judge`` expects text without echo and prompt (``replies`` takes them off).
"""

from __future__ import annotations

import re
from typing import Final

_NOTICES: Final = (
    re.compile(r"^Enter configuration commands, one per line\.\s+End with CNTL/Z\.?$"),
    # `configuration mode exclusive auto`: the lock is ours, and goes with `end`.
    re.compile(r"^Configuration mode locked exclusively\. The lock will be cleared once you exit\b.*$", re.I),
    re.compile(r"^Building configuration\.\.\.$"),
    re.compile(r"^\[OK\]$"),
    # Burst adjustments (ios-facts 3.3): the policer is in force, with the burst the platform can do.
    re.compile(
        r"^(?:Conform|Exceed|Normal|Extended|Peak|Excess) burst(?: size)? "
        r"(?:increased|decreased|adjusted|rounded)\b.*$",
        re.I,
    ),
    re.compile(r"^(?:Load for five secs|Time source is)\b.*$"),
)

_SYSLOG: Final = re.compile(
    r"^(?P<slot>SLOT ?\d+(?:/\d+)?: ?)?"
    r"(?:(?:[\w.\-]+: ){0,2}"
    r"[*.]?(?:[A-Z][a-z]{2}\s+\d{1,2}\s+(?:\d{4}\s+)?)?\d{1,3}[:\dwdhy.]*(?:\s+[A-Z][A-Za-z0-9+\-]{1,9})?: )?"
    r"%(?P<facility>[A-Z][A-Z0-9_]*(?:-[A-Z][A-Z0-9_]*)*)"
    r"-(?P<severity>[0-7])-(?P<mnemonic>[A-Z0-9_]+)\s*:(?P<text>.*)$"
)
_QOS_FACILITY: Final = re.compile(
    r"^(?:QOS|QM|QMGR|HQF|CBWFQ|POLICY|SERVICE_?POLICY|MQC|CLASSMAP|PLC|ISE|EE48|ALPHA|TCAM|XCM)"
)
_QOS_WORDS: Final = re.compile(r"policy|class[- ]?map|service-policy|\bqos\b|polic(?:er|ing)|\bqueue", re.I)
_FAILED: Final = re.compile(
    r"fail|reject|refus|unsupported|invalid|remov|detach|exceed|insufficient|oversubscri|error|unable"
    r"|not (?:supported|allowed|permitted|possible|attached|applied|enough|programmed)"
    r"|cannot|can't|could not|out of (?:memory|resource)",
    re.I,
)
_HARMLESS_ON_A_CARD: Final = re.compile(
    r"^(?:SYS|LINK|LINEPROTO|SONET|CONTROLLER|IPCGRP|LC|FABRIC|MBUS|EXEC)"
)
_OF_TRAFFIC: Final = re.compile(r"exceed-action|exceed(?:s|ed|ing)? (?:its|the) (?:\w+ )?rate\b", re.I)
"""What a policer does and what traffic did: no limit of the router is exceeded by it."""
_TOLD_ONLY: Final = re.compile(r"^(?:PARSER-\d-CFGLOG|SYS-\d-CONFIG)")
"""A command that was typed, or that somebody configured: whatever words are in it, nothing is refused."""
_STAMPED: Final = re.compile(
    r"^[*.]?[A-Z][a-z]{2}\s+\d{1,2}\s+(?:\d{4}\s+)?\d{2}:\d{2}:\d{2}[.\d]*(?:\s+[A-Z]\S*)?: "
)
_STARVED: Final = re.compile(r"MALLOCFAIL|NOMEM|LOWMEM|CFGMEM")
_EXEC_REFUSALS: Final = (
    re.compile(
        r"^\s*% ?(?:Invalid input|Incomplete command|Ambiguous command|Unknown command|Bad IP|Unrecognized"
        r"|Authorization|Access denied|Permission)"
    ),
    re.compile(r"^Command authorization failed\.?$"),
    re.compile(r"^Translating \"[^\"]*\"\.\.\."),
)


def judge(reply: str) -> str | None:
    """None when the router had nothing against the line; else what it said, joined into one line."""
    objections = []
    marked = False
    for line in reply.splitlines():
        text = line.strip()
        if text == "^":
            marked = True  # explained by the line after it; counts by itself when that line is missing
            continue
        if not text or is_notice(text):
            continue
        if is_syslog(text):
            if reports_failure(text):
                objections.append(text)
            continue
        objections.append(text)
    return "; ".join(objections) or ("^" if marked else None)


def judge_reading(reply: str) -> str | None:
    """None when a ``show`` command was understood; else the error IOS printed instead of an answer."""
    for line in [line for line in reply.splitlines() if line.strip()][:6]:
        if any(pattern.match(line) for pattern in _EXEC_REFUSALS):
            return line.strip()
    return None


def is_notice(line: str) -> bool:
    """True for the lines IOS prints although all is well."""
    text = line.strip()
    return any(pattern.match(text) for pattern in _NOTICES)


def is_syslog(line: str) -> bool:
    """True for a whole log line, with or without sequence number, time stamp and line card prefix.

    A time stamp alone does not make one: ``*Mar 11 09:12:59.897: Empty class unsupported`` is a refusal.
    """
    return _SYSLOG.match(line.strip()) is not None


def without_noise(text: str) -> str:
    """``text`` without log lines and the two lines of ``exec prompt timestamp`` (ios-facts 3.5)."""
    return "\n".join(
        line
        for line in text.split("\n")
        if not is_syslog(line)
        and not (line.lstrip().startswith(("Load for", "Time source")) and is_notice(line))
    )


def spoken_by_itself(line: str) -> bool:
    """True for a line in the middle of what a ``show`` command prints that is none of it: a log line, or a policy's refusal that
    is none (``*Mar 11 09:12:59.897: Empty class unsupported``); what those commands print of policies is indented.
    """
    if is_syslog(line) or _STAMPED.match(line):
        return True
    words = _OF_TRAFFIC.sub("", line)
    return not line.startswith(" ") and bool(_QOS_WORDS.search(words) and _FAILED.search(words))


def reports_failure(line: str) -> bool:
    """True for a log line that says a policy did not get into force, or that the router is out of memory."""
    match = _SYSLOG.match(line.strip())
    if match is None:
        return False
    facility, mnemonic, text = match["facility"], match["mnemonic"], match["text"]
    severity = int(match["severity"])
    if _STARVED.search(mnemonic):
        return True
    if _TOLD_ONLY.match(f"{facility}-{severity}-{mnemonic}"):
        return False
    words = _OF_TRAFFIC.sub("", f"{mnemonic.replace('_', ' ')} {text}")
    failed = _FAILED.search(words) is not None
    if _QOS_FACILITY.match(facility):
        return severity <= 4 or failed
    if match["slot"] and not _HARMLESS_ON_A_CARD.match(facility):
        return severity <= 4
    return _QOS_WORDS.search(words) is not None and failed
