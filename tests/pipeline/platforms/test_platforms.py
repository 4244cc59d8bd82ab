"""What each platform and release can do, and what is said of it before a router would (ios-facts section
2).
"""

from __future__ import annotations

import pytest

from provisioning.errors import InvalidInput
from provisioning.pipeline.platforms import (
    PLATFORMS,
    TYPED_AT,
    Release,
    engine_refuses_ipv6_premium,
    platform_name,
    profile,
)


@pytest.mark.parametrize(
    ("text", "release", "family"),
    [
        ("12.0(28)S", Release(12, 0, 28, "S"), "S"),
        ("12.0(32)SY6c", Release(12, 0, 32, "SY", 6), "S"),
        ("12.2(15)T2", Release(12, 2, 15, "T", 2), "T"),
        ("12.3", Release(12, 3), "T"),
        ("12.4(24)T", Release(12, 4, 24, "T"), "T"),
        ("15.2(4)M6a", Release(15, 2, 4, "M", 6), "T"),
        ("15.2(4)S3", Release(15, 2, 4, "S", 3), "S"),
        ("12.1(19)E", Release(12, 1, 19, "E"), "E"),
        ("17.9.4a", Release(17, 9, 4, "XE"), "XE"),
        ("17.3", Release(17, 3, 0, "XE"), "XE"),
        ("03.16.04b.S", Release(3, 16, 4, "XE"), "XE"),
    ],
)
def test_a_release_is_read(text: str, release: Release, family: str) -> None:
    assert Release.parse(text) == release
    assert release.family == family


@pytest.mark.parametrize("text", ["", "twelve", "12", "7.10.1", "12.0(28", "12.0(28)S; reload"])
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(InvalidInput):
        Release.parse(text)


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("12.0(27)S", False),
        ("12.0(28)S", True),
        ("12.0(32)SY6c", True),
        ("12.2(11)T", False),
        ("12.2(13)T", True),
        ("12.2(15)T2", True),
        ("12.2(31)", False),
        ("12.3(1)", True),
        ("12.4(24)T", True),
        ("15.1(4)M", True),
        ("12.2(28)S", True),
        ("12.1(19)E", False),
        ("17.9.1", True),
    ],
)
def test_police_by_percent_came_with_12_2_13_t_and_12_0_28_s(text: str, reached: bool) -> None:
    assert Release.parse(text).reached(T="12.2(13)T", S="12.0(28)S") is reached


@pytest.mark.parametrize(
    ("platform", "name"),
    [
        ("cisco-12400", "cisco-12000"),
        ("cisco-12000", "cisco-12000"),
        ("cisco-7200vxr", "cisco-7200"),
        ("cisco-iosxe", "cisco-iosxe"),
        ("ASR1000", "cisco-iosxe"),
        ("asr1001", "cisco-iosxe"),
        ("asr920", "cisco-iosxe"),
        ("isr4431", "cisco-iosxe"),
        ("ASR1001-X", "cisco-iosxe"),
        ("ISR4331/K9", "cisco-iosxe"),
        ("CSR1000V", "cisco-iosxe"),
        ("C8000V", "cisco-iosxe"),
        ("C8300-1N1S-6T", "cisco-iosxe"),
        ("cisco-asr1000", "cisco-iosxe"),
    ],
)
def test_a_platform_has_a_profile(platform: str, name: str) -> None:
    assert platform_name(platform) == name


@pytest.mark.parametrize("platform", ["cisco-iosxr", "asr9006", "asr9k", "ncs5500", "xr12000"])
def test_ios_xr_is_refused_by_name(platform: str) -> None:
    with pytest.raises(InvalidInput, match="IOS-XR"):
        profile(platform)


@pytest.mark.parametrize("platform", ["linux", "Linux", "linux-6.1", "nftables"])
def test_linux_has_a_shell_and_kernels_for_releases(platform: str) -> None:
    assert profile(platform, "6.18").name == "linux"
    assert [each.name for each in PLATFORMS if each not in TYPED_AT] == ["linux"]
    with pytest.raises(InvalidInput, match="does not run on"):
        profile(platform, "12.0(28)S")


@pytest.mark.parametrize(
    ("platform", "ios"), [("juniper-mx", ""), ("cisco-12400", "17.9.1"), ("asr1000", "12.4(24)T")]
)
def test_what_does_not_run_there(platform: str, ios: str) -> None:
    with pytest.raises(InvalidInput):
        profile(platform, ios)


def test_the_queues_of_each_platform() -> None:
    gsr, pre_hqf, hqf, xe = (
        profile("cisco-12400", "12.0(28)S"),
        profile("cisco-7200vxr", "12.3(14)T"),
        profile("cisco-7200vxr", "12.4(24)T"),
        profile("asr1000", "17.9.1"),
    )
    assert [each.hqf for each in (gsr, pre_hqf, hqf, xe)] == [False, False, True, True]
    assert [each.bare_priority for each in (gsr, pre_hqf, hqf, xe)] == [True, False, False, True]
    assert pre_hqf.default_queue == ("fair-queue", "random-detect dscp-based")
    assert gsr.default_queue == hqf.default_queue == xe.default_queue == ("random-detect dscp-based",)
    assert [each.configure_replace for each in (gsr, pre_hqf, hqf, xe)] == [False, True, True, True]
    assert [each.revert_timer for each in (gsr, pre_hqf, hqf, xe)] == [False, False, True, True]
    assert [each.section_filter for each in (gsr, pre_hqf, hqf, xe)] == [False, True, True, True]
    assert not profile("cisco-12400", "12.0(27)S").police_percent
    assert profile("cisco-7200vxr", "12.2(15)T2").leading_blank
    assert not pre_hqf.leading_blank
    assert profile("asr1000", "16.9.1").ipv4_sequences is False
    assert xe.ipv4_sequences


@pytest.mark.parametrize(
    ("engine", "refused"), [(3, False), (5, False), ("4+", True), (4, True), (0, True), (None, False)]
)
def test_engines_that_ignore_the_traffic_class(engine: int | str | None, refused: bool) -> None:
    assert (engine_refuses_ipv6_premium(engine) is not None) is refused


@pytest.mark.parametrize(("engine", "certain"), [(0, True), (1, True), (2, False), (4, True), ("4+", True)])
def test_how_well_it_is_known_of_an_engine(engine: int | str, certain: bool) -> None:
    """Engine 1 refuses WRED and MDRR, and CAR is not for IPv6: nothing is left to queue by (ios-facts 0.8, 2.2, 2.6)."""
    found = engine_refuses_ipv6_premium(engine)
    assert found is not None
    assert found.certain is certain


@pytest.mark.parametrize(
    ("platform", "model"),
    [
        ("ASR1001-X", "asr1000"),
        ("asr920", "asr920"),
        ("isr4331/k9", "isr4000"),
        ("csr1000v", "csr1000v"),
        ("C8000V", "csr1000v"),
        ("C8300-1N1S-6T", "c8000"),
        ("cisco-iosxe", ""),
        ("cisco-7200vxr", ""),
    ],
)
def test_a_chassis_has_its_family(platform: str, model: str) -> None:
    assert profile(platform).model == model


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("16.09.04", Release(16, 9, 4, "XE")),
        ("16.12.01a", Release(16, 12, 1, "XE")),
        ("03.16.05.S", Release(3, 16, 5, "XE")),
        ("17.06.01a", Release(17, 6, 1, "XE")),
        ("16.3.7", Release(16, 3, 7, "XE")),
    ],
)
def test_what_show_version_of_ios_xe_calls_itself(text: str, release: Release) -> None:
    assert Release.parse(text) == release
    assert profile("asr1000", text).hqf
    assert profile("asr1000", text).ipv6_sequences
    assert profile("asr1000", text).ipv4_sequences is ((release.major, release.minor) >= (16, 12))


def test_ios_xe_counts_no_marking_unless_told_to() -> None:
    assert not profile("asr1000").marker_statistics
    assert profile("cisco-7200vxr").marker_statistics


def test_a_release_3_of_ios_xe_is_no_train_older_than_12_2() -> None:
    router = profile("asr1000", "03.16.05.S")
    assert not router.expands_bursts
    assert router.named_dscp and router.section_filter and router.single_line_police
