"""What a session shows, and when that is not enough to say anything about a router."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from provisioning.drivers import Facts, InterfaceFact, RouterDriver, Shown, Target
from provisioning.errors import ParseFailure
from provisioning.services import reading
from provisioning.services.reading import Unread, read_session

WHOLE = "version 12.3\nhostname uk6\n!\ninterface POS1/0\n ip address 192.0.2.1 255.255.255.0\n!\nend\n"
MOMENT = datetime(2026, 3, 1, tzinfo=UTC)
HIDDEN = "version 12.3\nhostname uk6\n!\nend\n"


@dataclass
class Session:
    """A session that shows just this; only what `read_session` asks for."""

    config: str

    def facts(self) -> Facts:
        return Facts(
            hostname="uk6", platform_text="7206VXR", version="12.3(14)T", serial="1", image="disk0:c7200"
        )

    def shown(self) -> Shown:
        interface = InterfaceFact(name="POS1/0", bw_bps=155_000_000, admin_up=True, line_up=True)
        return Shown((interface,), self.config, self.config)


def target() -> Target:
    fields: dict[str, Any] = {
        "name": "uk6", "host": "127.0.0.1", "port": 22, "username": "reader", "password": "x", "enable": "",
        "host_key": "ssh-rsa AAAA", "ssh_profile": "modern", "platform": "cisco-7200vxr",
    }  # fmt: skip
    return Target(**fields)


def test_a_running_config_with_its_interfaces_is_a_reading() -> None:
    seen = read_session(cast(RouterDriver, Session(WHOLE)), target(), read_at=MOMENT)
    assert set(seen.config.interfaces) == {"POS1/0"}


def test_a_running_config_without_any_interface_says_nothing_about_the_router() -> None:
    """A user of too low a privilege gets a config with its `end` and without the interfaces."""
    with pytest.raises(ParseFailure, match="may reader see all of it"):
        read_session(cast(RouterDriver, Session(HIDDEN)), target(), read_at=MOMENT)


def test_who_is_read_with_others_is_told_how_many_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver `auto` goes by it."""
    seen: list[int] = []

    def noted(each: Target, _clock: object) -> Unread:
        seen.append(each.among)
        return Unread(each.name, "unreachable", "not asked", MOMENT)

    monkeypatch.setattr(reading, "read", noted)
    answers = reading.read_all([replace(target(), name=f"uk{n}") for n in range(3)], lambda: MOMENT)
    assert sorted(answers) == ["uk0", "uk1", "uk2"] and seen == [3, 3, 3]
