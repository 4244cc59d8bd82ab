"""Appendix A of D4.4.2v2 in every spelling a router or a person gives it is one configuration (ios-facts
section 1).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from provisioning.pipeline import ios
from provisioning.pipeline.mqc import RunningConfig, digest

APPENDIX = (Path(__file__).parent.parent / "cases" / "appendix-a.ios").read_text()


def objects(config: RunningConfig) -> tuple[object, ...]:
    return dict(config.class_maps), dict(config.policy_maps), dict(config.access_lists)


def named(text: str) -> str:
    text = re.sub(r"dscp 46$", "dscp ef", text, flags=re.M)
    text = re.sub(r"dscp 8$", "dscp cs1", text, flags=re.M)
    return re.sub(r"set dscp 0$", "set dscp default", text, flags=re.M)


def two_blanks(text: str) -> str:
    return re.sub(r"^(\s*match(?: not)?) (dscp \S+)$", r"\1  \2 ", named(text), flags=re.M)


def on_several_lines(text: str) -> str:
    return re.sub(
        r"^(\s+police cir percent \d) (conform-action \w+) (exceed-action \w+)$",
        r"\1\n       \2 \n       \3 ",
        text,
        flags=re.M,
    )


def defaults_omitted(text: str) -> str:
    return text.replace(" conform-action transmit exceed-action drop", "")


def in_another_order(text: str) -> str:
    return "!\n".join(reversed([block for block in text.split("!\n") if block.strip()]))


def inside_a_running_config(text: str) -> str:
    return (
        "Building configuration...\n\nCurrent configuration : 4711 bytes\n!\nversion 12.4\nhostname uk6\n!\n"
        "banner motd ^C\npolicy-map TRUSTED-IN\n class EF\n  priority\nend\n^C\n"
        + text
        + "!\ninterface POS1/0\n ip address 192.0.2.1 255.255.255.252\n!\nline vty 0 4\n login\n!\nend\n"
    )


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "named DSCPs": named,
    "two blanks and trailing blanks": two_blanks,
    "police on several lines": on_several_lines,
    "police on several lines with a blank line between": lambda text: on_several_lines(text).replace(
        "\n       exceed", "\n \n       exceed"
    ),
    "police on one line with doubled blanks": lambda text: text.replace(" exceed-action", "  exceed-action"),
    "default actions omitted": defaults_omitted,
    "default violate action printed": lambda text: text.replace(
        "exceed-action drop", "exceed-action drop violate-action drop"
    ),
    "every line one blank to the right": lambda text: re.sub(r"^", " ", text, flags=re.M),
    "only class-map and policy-map one blank to the right": lambda text: re.sub(
        r"^(?=class-map|policy-map| )", " ", text, flags=re.M
    ),
    "no indentation at all": lambda text: re.sub(r"^ +", "", text, flags=re.M),
    "tabs": lambda text: text.replace("  ", "\t"),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "CR": lambda text: text.replace("\n", "\r"),
    "CR CR LF": lambda text: text.replace("\n", "\r\r\n"),
    "mixed line ends": lambda text: text.replace("\n!", "\r\n!").replace("\n ", "\r "),
    "objects in another order": in_another_order,
    "inside a running-config": inside_a_running_config,
    "keyword match-all left out": lambda text: text.replace("class-map match-all", "class-map"),
    "matches in another order": lambda text: text.replace(
        "  match not dscp 8\n  match not dscp 46\n", "  match not dscp 46\n  match not dscp 8\n"
    ),
    "set before police": lambda text: text.replace(
        "    police cir percent 5 conform-action transmit exceed-action drop\n    set dscp 46\n",
        "    set dscp 46\n    police cir percent 5 conform-action transmit exceed-action drop\n",
    ),
    "with a byte order mark": lambda text: "\ufeff" + text,
    "with the pager's prompt": lambda text: text.replace(
        "!\npolicy-map my_policy",
        " --More-- \x08\x08\x08\x08\x08          \x08\x08\x08\x08\x08!\npolicy-map my_policy",
    ),
    "without its separators": lambda text: text.replace("!\n", ""),
    "without its last line end": lambda text: text.rstrip("\n"),
}


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_a_spelling_is_the_same_configuration(spelling: Callable[[str], str]) -> None:
    spelled = spelling(APPENDIX)
    expected, found = ios.parse_fragment(APPENDIX), ios.parse(spelled)
    assert objects(found) == objects(expected)
    for name, policy in expected.policy_maps.items():
        assert digest(found.policy_maps[name]) == digest(policy)


def test_the_appendix_holds_what_the_document_says() -> None:
    config = ios.parse_fragment(APPENDIX)
    assert sorted(config.class_maps) == ["EF", "EF-FILTERED", "LBE", "OTHER"]
    assert sorted(config.policy_maps) == ["FILTERED-IN", "NON-PARTICIPANT", "TRUSTED-IN", "my_policy"]
    assert [entry.name for entry in config.policy_maps["FILTERED-IN"].classes] == [
        "EF-FILTERED",
        "LBE",
        "class-default",
    ]
    lbe = config.policy_maps["TRUSTED-IN"].find("LBE")
    assert lbe is not None and lbe.police is not None and lbe.police.exceed == ("transmit",)


MEANINGS: dict[str, Callable[[str], str]] = {
    "IPv4 only": lambda text: text.replace("match dscp 46", "match ip dscp 46", 1),
    "one alternative more": lambda text: text.replace("match dscp 46", "match dscp 46 47", 1),
    "two lines required, not two alternatives": lambda text: text.replace(
        "  match not dscp 8\n  match not dscp 46\n", "  match not dscp 8 46\n"
    ),
    "not negated": lambda text: text.replace("match not dscp 8", "match dscp 8"),
    "any instead of all": lambda text: text.replace("match-all OTHER", "match-any OTHER"),
    "another percentage": lambda text: text.replace("percent 5", "percent 6", 1),
    "bit/s instead of percent": lambda text: text.replace("cir percent 5", "cir 7750000", 1),
    "a burst": lambda text: text.replace("percent 5 conform", "percent 5 bc 4 ms conform", 1),
    "another exceed action": lambda text: text.replace("exceed-action drop", "exceed-action transmit", 1),
    "another order of classes": lambda text: re.sub(
        r"(  class EF\n.*\n)(  class LBE\n.*\n)", r"\2\1", text, count=1
    ),
    "class without action left out": lambda text: text.replace("  class EF\n    priority\n", ""),
    "priority with a rate": lambda text: text.replace("    priority\n", "    priority percent 5\n"),
    "marks IPv4 only": lambda text: text.replace("set dscp 46", "set ip dscp 46"),
    "another access list": lambda text: text.replace("nren-auth-ef", "NREN-AUTH-EF"),
    "WRED by precedence": lambda text: text.replace("random-detect dscp-based", "random-detect"),
}


@pytest.mark.parametrize("meaning", MEANINGS.values(), ids=MEANINGS.keys())
def test_another_meaning_is_another_configuration(meaning: Callable[[str], str]) -> None:
    changed = meaning(APPENDIX)
    assert changed != APPENDIX
    assert objects(ios.parse(changed)) != objects(ios.parse(APPENDIX))
