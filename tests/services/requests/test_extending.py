"""A deed that asks to extend never shortens: of one request, of a pair, granted or not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from provisioning.errors import InvalidInput
from provisioning.models import Modification
from provisioning.services import modifications
from tests.services.requests.sixnet import admitted, agreed, hours, janet

pytestmark = pytest.mark.usefixtures("six")


@pytest.mark.parametrize("grant", [admitted, agreed])
@pytest.mark.parametrize("direction", ["one-way", "both"])
@pytest.mark.parametrize("sooner", [timedelta(hours=1), timedelta(0)])
def test_an_end_that_is_no_later_is_refused(grant: object, direction: str, sooner: timedelta) -> None:
    request = grant(start=hours(1), end=hours(3), direction=direction)  # type: ignore[operator]
    end = request.end
    with pytest.raises(InvalidInput, match="End early") as raised:
        modifications.extend(actor=janet(), request=request, end=end - sooner, reason="longer")
    assert raised.value.field == "end" and not Modification.objects.exists()
    request.refresh_from_db()
    assert request.end == end


@pytest.mark.parametrize("end", [hours(4), None])
def test_a_later_one_and_until_further_notice_are_proposed(end: datetime | None) -> None:
    request = admitted(start=hours(1), end=hours(3))
    made = modifications.extend(actor=janet(), request=request, end=end, reason="longer")
    assert made is not None and (made.state, made.end) == ("PROPOSED", end)


@pytest.mark.parametrize("end", [hours(4), None])
def test_what_lasts_until_further_notice_lasts_no_longer(end: datetime | None) -> None:
    request = admitted(start=hours(1), end=None)
    with pytest.raises(InvalidInput, match="until further notice"):
        modifications.extend(actor=janet(), request=request, end=end, reason="longer")
    request.refresh_from_db()
    assert request.end is None
