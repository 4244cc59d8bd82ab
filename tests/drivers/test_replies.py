"""Cutting a vty's text into replies: however it is echoed, interrupted and cut into pieces."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from provisioning.drivers.judging import judge
from provisioning.drivers.prompts import first_prompt, is_pager, is_question, prompt_at_start
from provisioning.drivers.replies import read_replies
from provisioning.drivers.screen import lines_seen

LOG = "*Nov 21 10:00:00.123: %LINK-3-UPDOWN: Interface POS2/0, changed state to up"
COMMANDS = st.sampled_from(
    [
        "policy-map TRUSTED-IN",
        "class class-default",
        "police cir percent 5 conform-action transmit exceed-action drop",
        "no service-policy input TRUSTED-IN",
        "service-policy input FILTERED-IN",
        "set dscp 0",
    ]
)
OBJECTIONS = st.sampled_from(["", "", "% Incomplete command.\n", "Policy map OLD is already attached\n"])


@st.composite
def conversations(draw: st.DrawFn) -> tuple[list[str], list[str], str]:
    """Commands, what was objected to each, and how that looks on the wire."""
    commands = draw(st.lists(COMMANDS, min_size=1, max_size=2))
    objections = [draw(OBJECTIONS) for _ in commands]
    end = draw(st.sampled_from(["\r\n", "\r\r\n", "\n"]))
    prompt = draw(st.sampled_from(["nl6(config)#", "nl6(config-pmap-c-police)#"]))
    at_once = draw(st.booleans())
    raw = "".join(command + "\n" for command in commands) if at_once else ""
    for command, objection in zip(commands, objections, strict=True):
        if not at_once:
            width = draw(st.sampled_from([0, 12, 30]))
            shown = [command[i : i + width] for i in range(0, len(command), width)] if width else [command]
            if draw(st.booleans()) and width:
                shown.insert(1, LOG)
            raw += "".join(f"{part}\n" for part in shown)
        if (
            draw(st.booleans()) and not at_once
        ):  # with both echoes behind, a log line here looks like a redraw
            raw += f"{LOG}\n"
        raw += objection + prompt
        if draw(st.booleans()):
            raw += f"\n{LOG}\n{prompt}"
    return commands, objections, raw.replace("\n", end)


@settings(max_examples=300, deadline=None)
@given(conversations())
def test_each_reply_belongs_to_its_command(conversation: tuple[list[str], list[str], str]) -> None:
    commands, objections, raw = conversation
    replies = read_replies(raw, commands, "nl6")
    assert replies.complete and replies.at_prompt
    assert [judge(text) for text in replies.texts] == [text.strip() or None for text in objections]


@settings(max_examples=100, deadline=None)
@given(conversations(), st.data())
def test_a_reply_is_not_complete_before_its_last_prompt(
    conversation: tuple[list[str], list[str], str], data: st.DataObject
) -> None:
    commands, _, raw = conversation
    last_echo = max(raw.rfind("nl6("), 0)
    first = raw[: data.draw(st.integers(0, last_echo))]
    replies = read_replies(first, commands, "nl6")
    assert replies.answered <= first.count("nl6(")
    assert not (replies.complete and first.count(")#") < len(commands))


def test_a_prompt_left_over_from_before_answers_nothing() -> None:
    replies = read_replies("\r\nnl6(config)#", ["policy-map X"], "nl6")
    assert not replies.complete and replies.plausible


def test_without_an_echo_prompts_are_counted() -> None:
    raw = "\r\nnl6(config-if)#\r\n% Incomplete command.\r\nnl6(config-if)#"
    replies = read_replies(raw, ["a", "b"], "nl6", echoing=False)
    assert replies.texts == ("", "% Incomplete command.") and replies.complete


def test_output_that_begins_like_the_command_is_output() -> None:
    replies = read_replies("set dscp 0\r\nset\r\nnl6(config)#", ["set dscp 0"], "nl6")
    assert replies.texts == ("set",)
    unfinished = read_replies("set\r\n% Incomplete command.\r\nnl6(config)#", ["set dscp 0"], "nl6")
    assert "% Incomplete command." in unfinished.texts[0]


def test_the_screen_wipes_what_a_router_wipes() -> None:
    raw = "one\r\r\n --More-- \b\b\b\b\b\b\b\b\b\b          \b\b\b\b\b\b\b\b\b\btwo\r\n --More-- \r          \rthree\r\n"
    assert lines_seen(raw) == ["one", "two", "three", ""]
    assert lines_seen("\x1b[Knl6#\x07 \x1b[0m") == ["nl6# "]


def test_prompts_are_recognised_and_nothing_else_is() -> None:
    long = "a-very-long-name-of-a-router-in-amsterdam"
    assert prompt_at_start(f"{long[:20]}(config-pmap-c)#", long) is not None
    assert prompt_at_start(f"{long}#show version", long) is not None
    assert prompt_at_start("nl6(config)#", "nl61") is None
    assert prompt_at_start("nl(config)#", "nl6") is None
    assert prompt_at_start("nl6x#", "nl6") is None
    assert first_prompt("nl6>") is not None and first_prompt("#####") is None
    assert (
        first_prompt("RP/0/RP0/CPU0:ios#") is None
    )  # IOS-XR commits; what is sent here would never take effect
    assert is_pager(" --More-- ") and not is_pager("More or less")
    assert is_question("Destination filename [startup-config]? ") and is_question("Proceed? [confirm]")
    assert not is_question(" description why [not]")
