"""A pack is run as root by somebody else: whatever stands in a request, no line of it is another's to write."""

from __future__ import annotations

import re
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.errors import InvalidInput
from tests.pipeline.packs.orders import ios, linux, order

EVIL = (
    "x\nreload",
    "x; rm -rf /",
    "$(reboot)",
    "`reboot`",
    "x' 'y",
    'x"y',
    "x\r\nno ip cef",
    "x\u2028y",
    "x\\\ny",
    "!\x00",
)
NAMES = st.one_of(st.sampled_from(EVIL), st.text(max_size=60))


def bones(text: str) -> list[str]:
    """The lines that do something: everything but comments."""
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", "!"))]


@given(NAMES, NAMES, NAMES)
def test_names_of_links_and_classes_change_comments_at_most(source: str, target: str, service: str) -> None:
    changes = {"source_link": f"a{source}", "destination_link": f"b{target}", "service_class": service}
    assert bones(linux(**changes).text) == bones(linux().text)
    assert bones(ios("cisco-iosxe", **changes).text) == bones(ios("cisco-iosxe").text)
    for made in (linux(**changes).text, ios("cisco-iosxe", **changes).text):
        assert all(ord(char) >= 32 or char == "\n" for char in made)
        assert len(made.splitlines()) == made.count("\n")


@given(NAMES)
def test_an_uplink_is_an_interface_or_refused(name: str) -> None:
    for make, good in (
        (lambda: linux(uplink=name), re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}\Z")),
        (
            lambda: ios("cisco-iosxe", uplink=name),
            re.compile(r"[A-Za-z][A-Za-z-]*[0-9]+(?:/[0-9]+)*(?:[.:][0-9]+)?\Z"),
        ),
    ):
        if good.match(name):
            assert name in make().text
        else:
            with pytest.raises(InvalidInput):
                make()


@pytest.mark.parametrize("number", [0, -1, True, "12; reboot", 1.5])
def test_a_number_is_a_number(number: object) -> None:
    with pytest.raises(InvalidInput):
        linux(number=number)


@pytest.mark.parametrize(
    "prefix", ["2001:db8::/32; reboot", "2001:db8::/32\nreload", "$(reboot)", "fe80::1%eth0/64"]
)
def test_a_prefix_is_a_prefix(prefix: str) -> None:
    with pytest.raises(InvalidInput):
        linux(source_prefixes=(prefix,))


@pytest.mark.parametrize("label", [0, 2**20, -1, "5 accept", True])
def test_a_label_has_twenty_bits_and_is_not_zero(label: object) -> None:
    with pytest.raises(InvalidInput):
        linux(flow_label=label)


def test_the_uplink_given_to_the_script_is_checked_again(tmp_path: object) -> None:
    import subprocess

    for word in ("", "-x", "a b", "$(touch /tmp/x)", "a;b", "a\nb"):
        done = subprocess.run(
            ["sh", "-s", "up", word], input=linux().text, capture_output=True, text=True, timeout=60
        )
        assert (done.returncode, done.stdout) == (2, ""), word
        assert "usage" in done.stderr


def test_the_script_is_one_a_shell_reads() -> None:
    import subprocess

    text = linux(uplink="eth0.100").text
    done = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert shlex.quote("eth0.100") in text
    assert order(number=65535).name == "PIP-65535" and "e610:1 " in linux(number=65535).text
