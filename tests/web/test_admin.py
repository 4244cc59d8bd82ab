"""Django's admin shows rows and writes none of the domain's."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client

from provisioning.models import ApiToken, ConfigSnapshot, Credential, Transcript
from tests.web.world import PASSWORD, World


def ours() -> list[type]:
    return [model for model in admin.site._registry if model._meta.app_label in {"inventory", "provisioning"}]


def test_secrets_and_configurations_are_not_there() -> None:
    assert not {Credential, ApiToken, ConfigSnapshot, Transcript} & set(ours())


@pytest.fixture
def root(world: World) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root", password=PASSWORD))
    return client


def test_every_list_opens_and_nothing_can_be_changed(root: Client) -> None:
    assert len(ours()) >= 20
    for model in ours():
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert root.get(base).status_code == 200, base
        assert root.get(base + "add/").status_code == 403, base
        row = model.objects.first()
        if row is not None:
            assert root.get(f"{base}{row.pk}/change/").status_code == 200, base
            assert root.post(f"{base}{row.pk}/change/", {}).status_code == 403, base
            assert root.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403, base
