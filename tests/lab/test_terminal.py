"""A terminal line whose wire is gone."""

from __future__ import annotations

import asyncio

from lab.device import Device
from lab.spec import RouterSpec
from lab.terminal import Terminal


def router() -> Device:
    return Device(
        RouterSpec.from_dict(
            {
                "name": "r0",
                "platform": "cisco-7200vxr",
                "ios": "12.3(14)T",
                "username": "noc",
                "password": "secret-1",
                "enable": "secret-2",
            }
        )
    )


def test_a_session_that_is_cut_while_it_is_answered_frees_its_vty() -> None:
    """Whoever was logged in was killed: the reply meets a wire that is closed, and the next one needs the line."""
    device = router()
    device.faults.add({"kind": "slow", "match": "^terminal", "seconds": 0.2})
    cut = False

    def write(_text: str) -> None:
        if cut:
            raise BrokenPipeError

    async def killed() -> None:
        nonlocal cut
        terminal = Terminal(device.open_session(), write)
        serving = asyncio.create_task(terminal.run())
        terminal.feed("terminal length 0\n")
        await asyncio.sleep(0.05)
        assert len(device.sessions) == 1
        cut = True
        terminal.hang_up()
        await serving

    asyncio.run(killed())
    assert device.sessions == []


def test_what_is_typed_is_kept_with_its_session() -> None:
    device = router()
    first, second = device.open_session("noc", privilege=15), device.open_session("noc", privilege=15)
    first.execute("show clock")
    second.enter_configuration()
    second.execute("ip classless")
    assert [(each["session"], each["line"]) for each in device.asked] == [(first.number, "show clock")]
    assert [(each["session"], each["line"]) for each in device.history] == [(second.number, "ip classless")]
