"""Which request covers an address: found by an index over the members of the two lists of prefixes, on PostgreSQL."""

from django.db import migrations

_OF = ("source_prefixes", "destination_prefixes")


def install(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in _OF:
            schema_editor.execute(
                f"CREATE INDEX requests_by_{column} ON provisioning_premiumrequest USING gin ({column})"
            )


def remove(_apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        for column in _OF:
            schema_editor.execute(f"DROP INDEX requests_by_{column}")


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0045_authority")]
    operations = [migrations.RunPython(install, remove)]
