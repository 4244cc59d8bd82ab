"""Banners, keys, certificates and macros are text, whatever stands in them; what only looks like their beginning is not."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig

INSIDE = "policy-map HIDDEN\n class A\n  priority\n"
AFTER = "class-map match-all SEEN\n match dscp ef\n"

BLOCKS = {
    "as IOS prints it": ("banner motd ^C", "^C"),
    "with text on the first line": ("banner exec ^CWelcome", "Bye ^C"),
    "a control character": ("banner login \x03", "\x03"),
    "a delimiter of its own": ("banner incoming #hello", "bye#"),
    "without a kind": ("banner #", "#"),
    "a caret": ("banner motd ^", "^"),
    "after a login": ("aaa authentication banner ^C", "^C"),
    "after a failure": ("aaa authentication fail-message ^C", "^C"),
    "title of a menu": ("menu ops title $", "$"),
    "prompt of a menu": ("menu ops prompt #", "#"),
    "a vacant terminal": ("vacant-message %", "%"),
    "a refused terminal": ("line vty 0 4\n refuse-message %", "%"),
    "a command not known here": ("privacy notice ^C", "^C"),
    "a control character of one": ("privacy notice \x03", "\x03"),
    "a key": ("crypto key pubkey-chain rsa\n named-key a\n  key-string", "  quit"),
    "a key of SSH": ("ip ssh pubkey-chain\n username a\n  key-string", "  exit"),
    "a macro": ("macro name M", "@"),
    "a macro in braces": ("macro auto execute E {", "}"),
    "a caret in the text": ("banner motd ^C\na ^ b", "^C"),
    "a caret before a C": ("banner motd ^Come in", "^"),
    "three marks": ("privacy a ^C b ^C c ^C", "^C"),
    "a certificate in another coding": (
        "crypto pki certificate chain C\n certificate ca 01\n  MIIB+x/=",
        "  quit",
    ),
    "a certificate at the margin": ("crypto pki certificate chain C\ncertificate ca 01\n3082AAAA", "quit"),
    "the second certificate": (
        "crypto pki certificate chain C\n certificate ca 01\n  3082\n  quit\n certificate ca 02\n  3082AAAA",
        "  quit",
    ),
    "a certificate": ("crypto pki certificate chain C\n certificate ca 01\n  3082AAAA 00112233", "  \tquit"),
}


@pytest.mark.parametrize(("opening", "closing"), BLOCKS.values(), ids=BLOCKS.keys())
def test_what_stands_in_a_text_is_no_configuration(opening: str, closing: str) -> None:
    found = ios.parse(f"hostname r\n{opening}\n{INSIDE}{closing}\n{AFTER}")
    assert not found.policy_maps
    assert set(found.class_maps) == {"SEEN"}


COMMANDS = [opening for opening, _ in BLOCKS.values() if "privacy" not in opening and " ^ " not in opening]


@pytest.mark.parametrize("opening", COMMANDS)
def test_a_text_that_never_ends_was_cut_off(opening: str) -> None:
    with pytest.raises(ParseFailure, match="cut off") as caught:
        ios.parse(f"hostname r\n{opening}\npolicy-map HIDDEN\n class A\n")
    assert caught.value.line > 1


ONE_LINE = {
    "a banner": "banner login ^C hello ^C",
    "a delimiter of its own": "banner motd # hello #",
    "a title": "menu ops title ^C Choose ^C",
    "a mark in free text": "interface POS1/0\n description ^C",
    "a mark that no other follows": "privacy notice ^C",
    "two marks": "privacy notice ^C x ^C",
    "a certificate in a file": "crypto pki certificate chain C\n certificate ca 01 nvram:C#1.cer",
    "certificates in files": "crypto pki certificate chain C\n certificate ca 01 nvram:1.cer\n certificate 02 nvram:2.cer",
    "a certificate before a blank line": "crypto pki certificate chain C\n certificate ca 01 nvram:1.cer\n       ",
    "a certificate that is empty": "crypto pki certificate chain C\n certificate ca 01\n  quit",
    "a macro that is empty": "macro name M\n@",
    "two macros": "macro name M\n shutdown\n@\nmacro name N\n shutdown\n@",
    "a key with its text": "key chain K\n key 1\n  key-string 7 0123",
    "a macro applied": "macro apply M",
    "a menu's command": "menu ops command 1 show clock",
}


@pytest.mark.parametrize("line", ONE_LINE.values(), ids=ONE_LINE.keys())
def test_what_follows_a_text_of_one_line_is_configuration(line: str) -> None:
    found: RunningConfig = ios.parse(f"hostname r\n{line}\npolicy-map P\n class A\n  priority\n!\n{AFTER}")
    assert set(found.policy_maps) == {"P"}
    assert set(found.class_maps) == {"SEEN"}


@pytest.mark.parametrize(
    "line",
    [
        "privacy notice ^C x ^C",
        "privacy notice ^C\n^C",
        "interface POS1/0\n description ^C",
        "macro apply ^C^C",
        "username ops password 0 ab^Cd",
        "snmp-server community pub^Cx RO",
    ],
)
def test_a_text_that_is_closed_ends_there_whatever_mark_stands_further_down(line: str) -> None:
    found = ios.parse(f"hostname r\n{line}\npolicy-map P\n class A\n  priority\n{AFTER}banner motd ^C\n^C\n")
    assert set(found.policy_maps) == {"P"}
    assert set(found.class_maps) == {"SEEN"}


def test_a_certificate_on_the_last_line() -> None:
    text = "hostname r\ncrypto pki certificate chain C\n certificate ca 01"
    assert ios.parse(f"{text} nvram:C#1.cer").hostname == "r"
    with pytest.raises(ParseFailure, match="cut off"):
        ios.parse(text)
    assert ios.parse(f"{text}\nend").hostname == "r"
