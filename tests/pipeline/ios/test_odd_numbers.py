"""Words that look like numbers to Python and not to IOS never stop the parser: they are kept as text, or refused."""

from __future__ import annotations

import pytest

from provisioning.errors import ParseFailure
from provisioning.pipeline import ios
from provisioning.pipeline.mqc import OpaqueAction, RunningConfig

SUPERSCRIPT, ARABIC, ENDLESS = "\u00b2", "\u0663", "9" * 5000
IN_A_CLASS = (
    "police cir {}",
    "police {} {} {}",
    "police cir percent {}",
    "police cir 8000 bc {}",
    "priority percent {}",
    "bandwidth {}",
    "shape average {}",
    "queue-limit {}",
    "set dscp {}",
)
ELSEWHERE = (
    "policy-map P\n class A\n  set cos {}\n",
    "policy-map P\n class A\n  random-detect exponential-weighting-constant {}\n",
    "policy-map P\n class A\n  random-detect dscp 8 {} 40\n",
    "class-map match-all C\n match cos {}\n",
    "class-map match-all C\n match access-group {}\n",
    "ipv6 access-list L\n {} permit ipv6 any any\n",
    "ipv6 access-list L\n permit ipv6 any any sequence {}\n",
    "ipv6 access-list L\n permit ipv6 any any flow-label 0x{}\n",
    "ipv6 access-list L\n permit udp any any eq {}\n",
    "hostname a\naccess-list {} permit any\n",
    "interface POS1/0\n bandwidth {}\n",
    "interface ATM1/0\n pvc 0/32\n  vbr-nrt {} 64\n",
)


@pytest.mark.parametrize("word", [SUPERSCRIPT, ARABIC, ENDLESS], ids=["superscript", "arabic", "endless"])
@pytest.mark.parametrize("line", IN_A_CLASS)
def test_an_action_with_such_a_word_stays_as_it_is_written(line: str, word: str) -> None:
    text = line.format(*[word] * line.count("{}"))
    entry = ios.parse(f"policy-map P\n class A\n  {text}\n").policy_maps["P"].find("A")
    assert entry is not None
    assert entry.actions == {OpaqueAction(text)}


@pytest.mark.parametrize("word", [SUPERSCRIPT, ARABIC, ENDLESS], ids=["superscript", "arabic", "endless"])
@pytest.mark.parametrize("text", ELSEWHERE)
def test_any_other_line_with_such_a_word_is_kept_or_refused_with_its_line(text: str, word: str) -> None:
    try:
        assert isinstance(ios.parse(text.format(word)), RunningConfig)
    except ParseFailure as failure:
        assert failure.line > 0
