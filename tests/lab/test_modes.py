"""Prompts, modes that climb, abbreviation, carets (ios-facts 3.1-3.3)."""

from __future__ import annotations

import pytest

from tests.lab.routers import BASELINE, GSR, HQF, T3, XE, at_config, device


def test_login_is_unprivileged_and_enable_asks() -> None:
    session = device().open_session()
    assert session.prompt == "r1>"
    assert session.execute("enable") == ""
    assert session.prompt == "Password: "
    assert session.dialogue is not None
    assert not session.dialogue.echo
    session.execute("secret")
    assert session.prompt == "r1#"
    session.execute("disable")
    assert session.prompt == "r1>"


@pytest.mark.parametrize(("kind", "text"), [(GSR, "% Bad secrets"), (T3, "% Access denied")])
def test_three_wrong_secrets(kind: tuple[str, str], text: str) -> None:
    session = device(kind).open_session()
    session.execute("en")
    assert [session.execute("wrong") for _ in range(3)] == ["", "", text + "\n\n"]
    assert session.prompt == "r1>"


def test_enable_without_secret() -> None:
    assert device(enable="").open_session().execute("enable") == "% No password set\n"


def test_unprivileged_sees_little() -> None:
    session = device().open_session()
    assert "IOS (tm) GS Software" in session.execute("show version")
    assert (
        session.execute("show running-config") == " " * 8 + "^\n% Invalid input detected at '^' marker.\n\n"
    )
    assert "% Invalid input" in session.execute("configure terminal")


def test_prompts_of_the_modes() -> None:
    session = at_config(T3, load=BASELINE)
    seen = []
    for line in (
        "class-map GOLD", "policy-map TRUSTED", "class GOLD", "police cir percent 5", "interface POS1/0",
        "interface ATM5/0.1", "pvc 0/32", "ipv6 access-list A", "ip access-list extended B",
    ):  # fmt: skip
        assert session.execute(line) == ""
        seen.append(session.prompt)
    assert seen == [
        "r1(config-cmap)#", "r1(config-pmap)#", "r1(config-pmap-c)#", "r1(config-pmap-c-police)#",
        "r1(config-if)#", "r1(config-subif)#", "r1(config-if-atm-vc)#", "r1(config-ipv6-acl)#",
        "r1(config-ext-nacl)#",
    ]  # fmt: skip


def test_police_has_no_mode_on_12_0s() -> None:
    session = at_config(GSR, load=BASELINE)
    for line in ("policy-map TRUSTED", "class GOLD", "police cir percent 5"):
        session.execute(line)
    assert session.prompt == "r1(config-pmap-c)#"
    assert "% Invalid input" in session.execute("conform-action transmit")


def test_hostname_is_cut_to_twenty_in_configuration_mode() -> None:
    session = at_config(GSR, name="a-very-long-router-name-in-london")
    assert session.prompt == "a-very-long-router-n(config)#"
    session.execute("end")
    assert session.prompt == "a-very-long-router-name-in-london#"


def test_exit_goes_up_one_mode_and_end_leaves() -> None:
    session = at_config(T3, load=BASELINE)
    for line in ("policy-map TRUSTED", "class GOLD", "police cir percent 5"):
        session.execute(line)
    prompts = []
    for _ in range(5):
        prompts.append(session.prompt)
        session.execute("exit") if session.stack else None
    assert prompts == [
        "r1(config-pmap-c-police)#",
        "r1(config-pmap-c)#",
        "r1(config-pmap)#",
        "r1(config)#",
        "r1#",
    ]
    session.execute("conf t")
    session.execute("hostname r2\x1a")
    assert session.prompt == "r2#"


def test_a_line_of_a_parent_mode_climbs() -> None:
    session = at_config(T3, load=BASELINE)
    for line in ("policy-map TRUSTED", "class GOLD", "police cir percent 5", "class SCAVENGER"):
        assert session.execute(line) == ""
    assert session.prompt == "r1(config-pmap-c)#"
    session.execute("description climbs from class to policy")
    assert session.prompt == "r1(config-pmap)#"
    session.execute("interface POS1/0")
    assert session.prompt == "r1(config-if)#"


def test_a_line_nobody_knows_leaves_the_mode_alone() -> None:
    session = at_config(T3, load=BASELINE)
    session.execute("policy-map TRUSTED")
    session.execute("class GOLD")
    reply = session.execute("polize cir percent 5")
    column = len("r1(config-pmap-c)#")
    assert reply == " " * column + "^\n% Invalid input detected at '^' marker.\n\n"
    assert session.prompt == "r1(config-pmap-c)#"


def test_caret_stands_under_the_wrong_word() -> None:
    session = at_config(T3, load=BASELINE)
    session.execute("policy-map TRUSTED")
    session.execute("class GOLD")
    line = "police cir percent 101"
    caret = session.execute(line).splitlines()[0]
    assert caret.index("^") == len("r1(config-pmap-c)#") + line.index("101")


def test_incomplete_and_ambiguous() -> None:
    session = at_config(T3)
    assert session.execute("class-map") == "% Incomplete command.\n\n"
    assert session.execute("cl") == '% Ambiguous command:  "cl"\n'
    session.execute("end")
    assert session.execute("sh r") == '% Ambiguous command:  "sh r"\n'


def test_the_wrapped_line_of_the_printed_appendix_fails_twice() -> None:
    """ios-facts 0.4"""
    session = at_config(GSR, load=BASELINE)
    session.execute("policy-map TRUSTED")
    session.execute("class SCAVENGER")
    assert (
        session.execute("police cir percent 1 conform-action transmit exceed-action")
        == "% Incomplete command.\n\n"
    )
    assert "% Invalid input" in session.execute("transmit")


def test_abbreviated_words_do_what_the_full_ones_do() -> None:
    session = at_config(T3)
    for line in (
        "class-m match-an X",
        "mat dsc ef",
        "policy-m P",
        "cla X",
        "pol cir perc 5 con tr ex dr",
        "int pos 1/0",
        "serv in P",
    ):
        assert session.execute(line) == "", line
    body = session.device.body()
    assert "class-map match-any X" in body
    assert " service-policy input P" in body


@pytest.mark.parametrize(("kind", "works"), [(GSR, False), (T3, True), (XE, True)])
def test_do(kind: tuple[str, str], works: bool) -> None:
    reply = at_config(kind).execute("do show clock")
    assert ("UTC" in reply) is works
    assert ("% Invalid input" in reply) is not works


def test_unknown_exec_command_is_taken_for_a_host() -> None:
    session = device().open_session(privilege=15)
    reply = session.execute("frobnicate")
    assert reply.endswith("% Unknown command or computer name, or unable to find computer address\n")
    assert "^" in session.execute("frobnicate now")


def test_comments_and_empty_lines_say_nothing() -> None:
    session = at_config()
    assert [session.execute(line) for line in ("", "!", "! a remark")] == ["", "", ""]


def test_names_longer_than_forty_are_refused() -> None:
    """ios-facts 2.1"""
    session = at_config()
    for line in ("class-map {}", "policy-map {}", "ipv6 access-list {}"):
        assert session.execute(line.format("N" * 40)) == ""
        assert "% Invalid input" in session.execute(line.format("N" * 41))


def test_sys_5_config_i_is_seen_on_the_console_and_by_a_monitor_only() -> None:
    router = device()
    plain = router.open_session(privilege=15)
    monitor = router.open_session(privilege=15)
    monitor.execute("terminal monitor")
    console = router.open_session("op", privilege=15, console=True)
    plain.execute("conf t")
    plain.execute("end")
    assert plain.asynchronous() == []
    for session in (monitor, console):
        said = session.asynchronous()
        assert len(said) == 1
        assert "%SYS-5-CONFIG_I: Configured from console by noc on vty0 (127.0.0.1)" in said[0]


def test_banner_text_is_not_configuration() -> None:
    session = at_config()
    assert session.execute("banner motd #").startswith("Enter TEXT message.  End with the character '#'.")
    assert session.prompt == ""
    for line in ("policy-map INSIDE", " class GOLD", "bye#"):
        assert session.execute(line) == ""
    assert session.prompt == "r1(config)#"
    assert "banner motd ^C\npolicy-map INSIDE\n class GOLD\nbye^C\n" in session.device.body()
    assert "INSIDE" not in session.config.policy_maps


@pytest.mark.parametrize("kind", [GSR, HQF])
def test_preloading_raises_on_a_refusal(kind: tuple[str, str]) -> None:
    from lab.errors import LoadError

    with pytest.raises(LoadError, match="class-map MISSING not configured"):
        device(kind).load("policy-map P\n class MISSING\n")


def test_a_user_of_privilege_15_needs_no_enable() -> None:
    session = device(privilege=15).open_session()
    assert session.prompt == "r1#"
    assert session.execute("enable") == ""
