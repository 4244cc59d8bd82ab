"""A router of a platform that no service configures is refused when its network is imported, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from inventory.models import Router

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.django_db
def test_linux_is_refused_by_name_at_the_import(tmp_path: Path) -> None:
    network = (ROOT / "inventory/networks/6net.yaml").read_text()
    assert network.count("name: uk6, pop: London,    country: uk, platform: cisco-12400,") == 1
    file = tmp_path / "network.yaml"
    file.write_text(network.replace("country: uk, platform: cisco-12400,", "country: uk, platform: linux,"))
    with pytest.raises(
        CommandError, match=r"uk6: linux is not driven by the service.*manage\.py linux"
    ) as refused:
        call_command("import_inventory", str(file))
    assert refused.value.returncode == 2
    assert not Router.objects.exists()
