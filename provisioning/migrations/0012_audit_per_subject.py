from django.conf import settings
from django.db import migrations, models


POSTGRESQL = [
    """
    CREATE OR REPLACE FUNCTION provisioning_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the audit trail is append only: % of % is refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END $$
    """,
    *(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON provisioning_{table} "
        "FOR EACH ROW EXECUTE FUNCTION provisioning_append_only()"
        for table in ("auditevent", "auditseal")
    ),
]
SQLITE = [
    f"CREATE TRIGGER {table}_append_only_{verb.lower()} BEFORE {verb} ON provisioning_{table} "
    f"BEGIN SELECT RAISE(ABORT, 'the audit trail is append only: {verb} of {table} is refused'); END"
    for table in ("auditevent", "auditseal")
    for verb in ("UPDATE", "DELETE")
]


def install(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def remove(apps, schema_editor):
    postgresql = schema_editor.connection.vendor == "postgresql"
    for table in ("auditevent", "auditseal"):
        if postgresql:
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only ON provisioning_{table}")
            continue
        for verb in ("update", "delete"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {table}_append_only_{verb}")
    if postgresql:
        schema_editor.execute("DROP FUNCTION IF EXISTS provisioning_append_only()")


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0011_plan_left_the_push'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditSeal',
            fields=[
                ('position', models.BigIntegerField(primary_key=True, serialize=False)),
                ('event_id', models.BigIntegerField(unique=True)),
                ('sealed_at', models.DateTimeField()),
                ('previous_digest', models.CharField(max_length=64)),
                ('digest', models.CharField(db_index=True, max_length=64)),
            ],
            options={
                'ordering': ['-position'],
            },
        ),
        migrations.CreateModel(
            name='AuditSubject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('object_type', models.CharField(max_length=40)),
                ('object_id', models.CharField(max_length=64)),
                ('length', models.BigIntegerField(default=0)),
                ('digest', models.CharField(default='0000000000000000000000000000000000000000000000000000000000000000', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='AuditWaiting',
            fields=[
                ('event_id', models.BigIntegerField(primary_key=True, serialize=False)),
            ],
        ),
        migrations.RemoveIndex(
            model_name='auditevent',
            name='provisionin_object__6f367f_idx',
        ),
        migrations.AddField(
            model_name='auditevent',
            name='chain_index',
            field=models.BigIntegerField(help_text='Its place among the events about the same subject; empty in the one chain of old.', null=True),
        ),
        migrations.AddField(
            model_name='auditevent',
            name='subject_digest',
            field=models.CharField(blank=True, default='', help_text='Of the subject as it was stored then, where it is bound.', max_length=64),
        ),
        migrations.AddConstraint(
            model_name='auditevent',
            constraint=models.UniqueConstraint(fields=('object_type', 'object_id', 'chain_index'), name='a_chain_has_each_place_once'),
        ),
        migrations.AddConstraint(
            model_name='auditsubject',
            constraint=models.UniqueConstraint(fields=('object_type', 'object_id'), name='a_subject_has_one_chain'),
        ),
        migrations.RunPython(install, remove),
    ]
