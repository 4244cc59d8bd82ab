from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0035_bare_interfaces")]

    operations = [
        migrations.AddField(
            model_name="routerpush",
            name="dealt_with_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When a person said, with a reason, that nothing is left to be done about its end.",
                null=True,
            ),
        ),
    ]
