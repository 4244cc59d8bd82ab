"""Running and startup, dialogues, reload as a dead man's switch (ios-facts 3.7-3.9)."""

from __future__ import annotations

import pytest

from lab.errors import SessionDropped
from tests.lab.routers import ALL, BASELINE, GSR, T3, Clock, device, typed


def test_write_memory_and_startup() -> None:
    written: list[str] = []
    router = device(T3)
    router.persist = written.append
    session = router.open_session(privilege=15)
    typed(session, "conf t\nclass-map GOLD\nmatch dscp 46\nend")
    assert router.unsaved
    assert "GOLD" not in session.execute("show startup-config")
    assert session.execute("write memory") == "Building configuration...\n[OK]\n"
    assert not router.unsaved
    assert "class-map match-all GOLD" in session.execute("show startup-config")
    assert written == [router.startup]
    assert "! NVRAM config last updated at" in session.execute("show running-config")


def test_copy_asks_for_the_name() -> None:
    router = device(T3)
    session = router.open_session(privilege=15)
    typed(session, "conf t\ncdp run\nend")
    assert session.execute("copy running-config startup-config") == ""
    assert session.prompt == "Destination filename [startup-config]? "
    assert session.execute("") == "Building configuration...\n[OK]\n"
    assert session.prompt == "r1#"
    assert not router.unsaved


def test_copy_startup_over_running_merges() -> None:
    router = device(T3)
    session = router.open_session(privilege=15)
    typed(
        session,
        "conf t\nhostname other\ninterface POS1/0\ndescription hand\nmtu 9180\nend\ncopy startup-config running-config\n\n",
    )
    assert session.prompt == "r1#"
    assert " description customer" in router.body()
    assert " mtu 9180" in router.body()


def test_write_terminal_and_erase() -> None:
    router = device(T3)
    session = router.open_session(privilege=15)
    assert session.execute("write terminal") == router.running_config()
    session.execute("write erase")
    assert session.dialogue is not None
    assert session.dialogue.single_key
    session.execute("")
    assert session.execute("show startup-config") == "startup-config is not present\n"


def test_reload_in_brings_back_what_was_saved_and_drops_sessions() -> None:
    clock = Clock()
    router = device(GSR, clock)
    session = router.open_session(privilege=15)
    typed(session, "conf t\nhostname lost\nend")
    session.execute("reload in 10")
    assert session.prompt == "System configuration has been modified. Save? [yes/no]: "
    assert session.execute("maybe") == "% Please answer 'yes' or 'no'.\n"
    assert "Reload scheduled for" in session.execute("no")
    assert session.prompt == "Proceed with reload? [confirm]"
    session.execute("")
    clock.now += 599
    assert session.execute("show reload").startswith("Reload scheduled for")
    clock.now += 1
    with pytest.raises(SessionDropped):
        session.execute("show clock")
    assert router.config.hostname == "r1"
    assert router.sessions == []
    assert router.timers.waiting == []


def test_reload_cancel() -> None:
    clock = Clock()
    router = device(GSR, clock)
    session = router.open_session(privilege=15)
    assert session.execute("reload cancel") == "%No reload is scheduled.\n"
    typed(session, "conf t\nhostname kept\nend\nreload in 1:00\nno\ny")
    assert [timer.name for timer in router.timers.waiting] == ["reload"]
    assert "SHUTDOWN ABORTED" in session.execute("reload cancel")
    clock.now += 4000
    router.tick()
    assert router.config.hostname == "kept"


def test_reload_now() -> None:
    router = device(T3)
    session = router.open_session(privilege=15)
    session.execute("reload")
    assert session.prompt == "Proceed with reload? [confirm]"
    with pytest.raises(SessionDropped):
        session.execute("y")
    assert session.closed


def test_reload_refused_at_the_question() -> None:
    session = device(T3).open_session(privilege=15)
    session.execute("reload")
    assert session.execute("n") == ""
    assert not session.closed


@pytest.mark.parametrize("kind", ALL)
def test_a_reloaded_router_is_what_it_was(kind: tuple[str, str]) -> None:
    router = device(kind, engines={"1": "3", "5": "3"})
    router.load(BASELINE)
    session = router.open_session(privilege=15)
    typed(
        session,
        (
            "conf t\ninterface POS1/0\nservice-policy input TRUSTED\n"
            "interface ATM5/0.1\npvc 0/32\nservice-policy input UNTRUSTED\nend"
        ),
    )
    session.execute("write memory")
    before = router.body()
    router.reload()
    assert router.boot_messages == []
    assert sorted(router.body().splitlines()) == sorted(before.splitlines())


def test_what_boot_refuses_is_reported_and_skipped() -> None:
    router = device(T3, startup_config="hostname r1\nfrobnicate\nclass-map GOLD\n match dscp 46\nend\n")
    assert len(router.boot_messages) == 1
    assert router.boot_messages[0].startswith("frobnicate: ")
    assert "class-map match-all GOLD" in router.body()
