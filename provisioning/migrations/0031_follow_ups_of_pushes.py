"""What follows from the end of a push is noted with the end, so that it is done whoever dies in between.

Changes whose pushes are all over and that a worker died before closing are closed: nothing looked at them again.
"""

from django.db import migrations, models
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

OVER = ["VERIFIED", "FAILED", "ROLLED_BACK", "STALE", "CANCELLED"]


def close_what_is_over(apps, schema_editor):
    pushes = apps.get_model("provisioning", "RouterPush").objects.filter(change=OuterRef("pk"))
    open_ones = apps.get_model("provisioning", "Change").objects.filter(finished_at__isnull=True)
    open_ones.filter(Exists(pushes), ~Exists(pushes.exclude(state__in=OVER))).update(finished_at=Now())


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0005_core_links_down"),
        ("provisioning", "0030_witness_adds_up_first"),
    ]

    operations = [
        migrations.AddField(
            model_name="routerpush",
            name="follow_up_due",
            field=models.BooleanField(
                default=False,
                help_text="It has ended, and what follows for its change, its requests and its queue is not done yet.",
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
                    ("follow-up", "Do what follows from the end of a push"),
                    ("verify-router", "Verify one router"),
                    ("failures", "Work out all single failures of a domain"),
                    ("prune", "Remove rows older than they are kept"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="routerpush",
            index=models.Index(
                fields=["id"], name="follow_ups_due", condition=models.Q(follow_up_due=True)
            ),
        ),
        migrations.RunPython(close_what_is_over, migrations.RunPython.noop),
    ]
