"""The Django app that says what exists: routers, links, networks. It knows nothing of what shall change."""

from django.apps import AppConfig


class InventoryConfig(AppConfig):
    """The inventory app; label ``inventory``."""

    name = "inventory"
    label = "inventory"
    verbose_name = "Network inventory"
    default_auto_field = "django.db.models.BigAutoField"
