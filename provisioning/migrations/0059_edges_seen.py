"""The open edges that a router last showed stay known when it does not answer."""

from django.db import migrations, models
from django.db.models import F


def copy(apps, schema_editor):
    rows = apps.get_model("provisioning", "RouterSync").objects.using(schema_editor.connection.alias)
    rows.exclude(state="unknown").update(edges_seen=F("open_edges"))


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0058_differences_of_routers")]

    operations = [
        migrations.AddField(
            model_name="routersync",
            name="edges_seen",
            field=models.JSONField(
                default=list,
                help_text="Those of the last reading that came about: what was open then is not closed by a router that does not answer.",
            ),
        ),
        migrations.RunPython(copy, migrations.RunPython.noop),
    ]
