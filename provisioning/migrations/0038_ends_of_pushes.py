from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("provisioning", "0037_health_of_routers")]

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
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[
                    ("plan-router", "Plan what is due on a router"),
                    ("plan-change", "Plan a change that somebody asked for"),
                    ("sweep", "Look at every router's queue"),
                    ("preflight", "Read all routers of a change before its first line"),
                    ("push", "Push one router"),
                    ("recover", "Read a router after a broken push"),
                    ("save-again", "Save a router again that refused"),
                    ("follow-up", "Do what follows from the end of a push"),
                    ("verify-router", "Verify one router"),
                    ("failures", "Work out all single failures of a domain"),
                    ("prune", "Remove rows older than they are kept"),
                ],
                max_length=16,
            ),
        ),
    ]
