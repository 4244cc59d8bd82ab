"""A router with a shell is imported like any other, but for a driver that speaks to a vty only."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from inventory.models import Router

ROOT = Path(__file__).resolve().parents[2]
LONDON = "name: uk6, pop: London,    country: uk, platform: cisco-12400,"


@pytest.mark.django_db
def test_a_driver_without_a_shell_is_refused_by_name_at_the_import(tmp_path: Path) -> None:
    network = (ROOT / "inventory/networks/6net.yaml").read_text()
    assert network.count(LONDON) == 1
    file = tmp_path / "network.yaml"
    file.write_text(
        network.replace(LONDON, "name: uk6, pop: London, country: uk, driver: napalm, platform: linux,")
    )
    with pytest.raises(
        CommandError, match=r"uk6: napalm speaks to no shell; one of netmiko, auto"
    ) as refused:
        call_command("import_inventory", str(file))
    assert refused.value.returncode == 2
    assert not Router.objects.exists()
