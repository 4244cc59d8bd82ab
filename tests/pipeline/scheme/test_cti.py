"""CTI polices nothing where traffic enters, so its priority queue has to be bounded on every platform."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import yaml

from provisioning.errors import InvalidInput
from provisioning.pipeline.mqc import Percent, Priority, RandomDetect
from provisioning.pipeline.scheme import from_mapping
from provisioning.selectors.schemes import DIRECTORY
from tests.pipeline.practice import KINDS
from tests.pipeline.scheme.domains import wanted

DATA: dict[str, Any] = yaml.safe_load((DIRECTORY / "cti.yaml").read_text(encoding="utf-8"))


OPTIONS: dict[str, dict[str, bool]] = {
    "LLQ-30-50": {},
    "LLQ-55-75": {"higher_thresholds": True},
    "LLQ": {"without_wred": True},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_priority_queue_is_bounded_to_20_per_cent_on_every_platform(kind: str, name: str) -> None:
    """CTI section 4.2: "the strict priority could only use 20% of the total bandwidth"; without WRED nothing drops early."""
    aim = wanted("cti", kind, **OPTIONS[name])
    assert [policy.name for policy in aim.policy_maps if policy.name.startswith("LLQ")] == [name]
    early = any(
        isinstance(each, RandomDetect)
        for policy in aim.policy_maps
        for entry in policy.classes
        for each in entry.actions
    )
    assert early == (name != "LLQ")
    (queue,) = (
        entry for policy in aim.policy_maps if policy.name.startswith("LLQ") for entry in policy.classes[:1]
    )
    (priority,) = (each for each in queue.actions if isinstance(each, Priority))
    bound = priority.value if queue.police is None else queue.police.rate
    assert bound in (Decimal(20), Percent(Decimal(20)))


def test_a_strict_queue_without_a_bound_behind_an_edge_without_a_policer_is_refused() -> None:
    changed = yaml.safe_load(yaml.safe_dump(DATA))
    changed["policies"]["LLQ-30-50"]["classes"][0]["strict_priority"] = {"percent": 20}
    with pytest.raises(InvalidInput) as refused:
        from_mapping(changed)
    assert refused.value.field == "policies.LLQ-30-50.classes[0].strict_priority"
    assert "nothing would bound" in str(refused.value)
