"""Why a change goes ahead although a platform would probably refuse something of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0002_adopted_names")]

    operations = [
        migrations.AddField(
            model_name="change",
            name="override_reason",
            field=models.TextField(
                blank=True,
                default="",
                help_text="Why it goes ahead although a platform would probably refuse something of it.",
                max_length=2000,
            ),
            preserve_default=False,
        ),
    ]
