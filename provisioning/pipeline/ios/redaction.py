"""A running-config with its secrets taken out, for storing and showing (architecture, "Secrets").

Three kinds of line hold a secret: those where it is one word among others (a community, the key of a peer), those
where it runs to the end of the line whatever is in between, and any other line with a word that names one. The last
kind errs on the side of removing: what is stored is for people to read, and nothing is parsed from it.
"""

from __future__ import annotations

import re
from typing import Final

REMOVED: Final = "<removed>"

_TYPE: Final = r"(?:(?:encrypted|unencrypted|ascii|hex)\s+(?=\S))?(?:[05-9]\s+(?=\S))?"

# One word, and what follows it says something worth keeping.
_AMONG_OTHERS: Final = re.compile(
    r"(?P<keep>(?:"
    r"\bsnmp-server community"
    r"|\bsnmp mib community-map"
    r"|\bsnmp-server user \S+ \S+ .*?\bauth (?:md5|sha)\S*(?: (?:224|256|384|512)(?=\s))?"
    r"|\bsnmp-server host \S+(?: vrf \S+| traps| informs| version (?:1|2c|3 (?:noauth|auth|priv)))*"
    r"|\bcrypto isakmp key"
    r"|\bntp authentication-key \d+ \S+"
    r"|\bip ospf (?:\S+ )?authentication-key|\bmessage-digest-key \d+ md5"
    r"|\b(?:isis|domain-|area-)\s?password"
    r"|\b(?:standby|glbp|vrrp) (?:\d+ )?authentication(?: text| md5 key-string)?"
    r"|\bauthentication (?:md5 )?(?:text|key-string)"
    rf")\s+{_TYPE})"
    r"(?P<secret>(?!md5 key-chain\b|md5\s*$)\S+)",
    re.IGNORECASE,
)
_PRIVACY: Final = re.compile(r"(?P<keep>\bpriv (?:aes|des|3des)\d*(?: \d+)? )(?P<secret>\S+)", re.IGNORECASE)

# Keys in the middle of which other words stand, or keys without a word that says so.
_TO_THE_END: Final = re.compile(
    r"(?P<keep>\b(?:"
    r"(?:authentication|encryption) ipsec spi \d+"
    r"|set session-key (?:inbound|outbound) (?:ah|esp) \d+"
    r"|nhrp authentication"
    r"|authentication mode hmac-\S+"
    r"|kerberos srvtab entry"
    r"|chat-script \S+"
    r"|tunnel key"
    r"|wlccp authentication"
    r"|event manager environment \S*(?:pw|pass|secret|key|token|community)\S*"
    r")\s+)(?P<secret>\S(?:[^\n]*\S)?)",
    re.IGNORECASE,
)

# Any word that names a secret, up to the end of the line: passwords may hold blanks.
_NAMED: Final = re.compile(
    r"(?P<keep>(?<![\w.-])(?:"
    r"[\w.-]*(?:password|passwd|passphrase|secret)"
    r"|(?:[\w.-]*[-_])?key(?:-string)?"
    r"|pmk|wpa-psk|user-pin"
    rf")(?:\s+|=)(?:level \d+\s+|(?:local|remote)\s+(?=\S))?{_TYPE})"
    r"(?P<secret>(?!chain\b|key-chain\b|[0-9]{1,3}\s*$|config-key\b|encryption aes\b|logging\b)\S(?:[^\n]*\S)?)",
    re.IGNORECASE,
)
_NAMES_NONE: Final = re.compile(
    r"\s*(?:no )?(?:description|remark|crypto key|ntp (?:server|peer|trusted-key)|class-map|policy-map"
    r"|class|match|service-policy|ip access-list|ipv6 access-list|permit|deny|interface|hostname)\b",
    re.IGNORECASE,
)

_LOGIN: Final = re.compile(r"(?P<keep>(?:\b[a-z]+://|(?<![^\s/\"]))[^\s:/@\"]+:)(?P<secret>[^\s@\"]+)(?=@)")
_TRIGGERS: Final = re.compile(
    r"secret|passw|passphrase|community|key|snmp-server|authentic|ipsec|pmk|psk|user-pin|srvtab|chat-script|event manager|@",
    re.IGNORECASE,
)
_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")

_LONGEST_LINE: Final = 4096
"""No command of IOS is longer; such a line is removed whole rather than searched at length."""


def redact(text: str) -> str:
    """The text with every password, key, community and hash replaced by ``<removed>``; line ends and all
    else kept.

    Applying it twice changes nothing more.
    """
    if not _TRIGGERS.search(text):
        return text
    return "".join(_redact_line(line) for line in _LINES.findall(text))


def _redact_line(line: str) -> str:
    if not _TRIGGERS.search(line):
        return line
    if len(line) > _LONGEST_LINE:
        return REMOVED + line[len(line.rstrip("\r\n")) :]
    line = _LOGIN.sub(_without, line)
    if _NAMES_NONE.match(line):
        return line
    for kind in (_TO_THE_END, _AMONG_OTHERS, _NAMED):
        line, found = kind.subn(_without, line, count=1)
        if found:
            break
    return _PRIVACY.sub(_without, line)


def _without(found: re.Match[str]) -> str:
    return str(found["keep"]) + REMOVED
