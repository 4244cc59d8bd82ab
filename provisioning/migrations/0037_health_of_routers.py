from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0036_changes_are_steered")]

    operations = [
        migrations.AddField(
            model_name="routerpush",
            name="health",
            field=models.JSONField(
                blank=True,
                help_text="How the router fared before the first line and after the last, and what became worse.",
                null=True,
            ),
        )
    ]
