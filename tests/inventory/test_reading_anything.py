"""Whatever is in a file, reading it ends in a network or in a NetworkFileError that fits on one line."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inventory.readers.entries import NetworkFile
from inventory.readers.errors import NetworkFileError
from inventory.readers.network_yaml import read_network_text
from tests.inventory.conftest import SMALL

pytestmark = pytest.mark.once

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.sampled_from(
        ["POS1/0", "aa1", "2001:db8::/32", "::/0", "0.0.0.0/0", "trusted", "a\nb", "!", "x" * 300]
    ),
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)
places = st.lists(st.integers(0, 30), min_size=1, max_size=5)


def judged(raw: bytes) -> None:
    """Read, and hold an error to its form; any other exception fails the test."""
    try:
        network = read_network_text(raw, source="any.yaml")
    except NetworkFileError as error:
        assert error.file == "any.yaml"
        assert error.reason
        assert str(error).isprintable(), str(error)
        assert len(str(error)) < 600
    else:
        assert isinstance(network, NetworkFile)


@given(st.binary(max_size=300))
@settings(max_examples=150)
def test_any_bytes(raw: bytes) -> None:
    judged(raw)


@given(places, values)
@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_a_network_with_any_one_thing_replaced(path: list[int], value: object) -> None:
    document = yaml.safe_load(SMALL.replace("country: no", 'country: "no"'))
    at = document
    for step in path:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            break
        key = keys[step % len(keys)]
        if step == path[-1] or not isinstance(at[key], dict | list):
            at[key] = value
            break
        at = at[key]
    judged(yaml.safe_dump(document, allow_unicode=True, sort_keys=False).encode("utf-8", "surrogatepass"))


@given(st.integers(0, len(SMALL)), st.text(max_size=10))
@settings(max_examples=150, deadline=None)
def test_a_network_with_any_text_put_in(at: int, text: str) -> None:
    judged((SMALL[:at] + text + SMALL[at:]).encode("utf-8", "surrogatepass"))
