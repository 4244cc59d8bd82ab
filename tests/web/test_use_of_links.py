"""What links carry against their share, now and at the peak to come."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from provisioning.web.bars import bar_of_use, percent
from tests.web.text import page_text
from tests.web.world import World

As = Callable[[str], Client]


def test_the_list_says_the_share_used_now_and_at_the_peak_to_come(world: World, as_user: As) -> None:
    page = page_text(as_user("audrey").get("/links/?kind=access&q=janet"))
    # JANET sends 1.5 Mbit/s of 7.75 now, and 3 more in three days.
    said = "1.5 Mbit/s now (20 %), 4.5 Mbit/s at the peak to come (59 %), share 7.75 Mbit/s"
    assert f'aria-label="{said}"' in page
    (row,) = re.findall(r'class="use">(.*?)</svg>', page)
    assert "20 %, 59 %" in row


def test_a_file_of_links_has_the_peak_and_asks_for_all_at_once(
    world: World, as_user: As, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = as_user("audrey")
    with django_assert_max_num_queries(20):
        text = client.get("/links/?format=csv").getvalue().decode()
    assert "peak_bps" in text and "4500000" in text


@pytest.mark.parametrize(
    ("now", "peak", "share", "held", "more", "over", "limit"),
    [
        (0, 0, 100, 0, 0, 0, 1000),
        (25, 50, 100, 250, 250, 0, 1000),
        (100, 100, 100, 1000, 0, 0, 1000),
        (50, 200, 100, 250, 250, 500, 500),
        (150, 200, 100, 500, 0, 500, 500),
        (0, 0, 0, 0, 0, 0, 0),
    ],
)
def test_the_parts_of_the_bar_add_up(
    now: int, peak: int, share: int, held: float, more: float, over: float, limit: float
) -> None:
    bar = bar_of_use(now, peak, share)
    assert (bar.held, bar.asked, bar.over, bar.limit) == (held, more, over, limit)
    assert bar.held + bar.asked + bar.over <= 1000
    assert percent(999, 1000) == "100 %" and percent(1, 0) == "-"
