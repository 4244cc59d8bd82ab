"""A plan becomes a row of its own beside its push: first the room for it, then (0010) the rows, then (0011) the old column."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0008_heartbeats'),
    ]

    operations = [
        migrations.AddField(
            model_name='routerpush',
            name='plan_digest',
            field=models.CharField(blank=True, default='', help_text='sha256 (hex) of the plan as stored; empty: not read, no plan.', max_length=64),
            preserve_default=False,
        ),
        migrations.CreateModel(
            name='StoredPlan',
            fields=[
                ('push', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='stored_plan', serialize=False, to='provisioning.routerpush')),
                ('content', models.TextField()),
                ('size', models.PositiveIntegerField(help_text='Bytes of the content.')),
                ('gaps', models.JSONField(default=list)),
                ('violations', models.JSONField(default=list)),
                ('warnings', models.JSONField(default=list)),
                ('doubts', models.JSONField(default=list)),
            ],
        ),
    ]
