from django.db import migrations, models


# The last witness: whatever a service believes and whoever types into the table, no instant of a (link, direction, pool)
# is charged beyond its share. It takes the lock of the share itself, judges what a new or grown row adds over its own window,
# counts a row whose window is over without end until it is released, and a hold until it lapses, and leaves alone what
# an import moved (`exempt`). On PostgreSQL a window is over by the time at which the transaction began, and a hold by
# the time of the statement: never sooner and never later than the service that judged before.
POSTGRESQL = [
    """
    CREATE OR REPLACE FUNCTION provisioning_within_share() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        allowed bigint;
        peak numeric;
        until timestamptz := CASE WHEN NEW."end" > now() THEN NEW."end" END;
    BEGIN
        IF TG_OP = 'UPDATE' THEN
            IF OLD.released_at IS NULL AND OLD.exempt = NEW.exempt
                AND (OLD.link, OLD.direction, OLD.pool) = (NEW.link, NEW.direction, NEW.pool)
                AND NEW.rate_bps <= OLD.rate_bps AND NEW.start >= OLD.start
                AND (OLD."end" IS NULL OR NEW."end" <= OLD."end")
                AND (OLD.lapses_at IS NULL OR NEW.lapses_at <= OLD.lapses_at)
            THEN
                RETURN NULL;
            END IF;
        END IF;
        SELECT share_bps INTO allowed FROM provisioning_linkshare
            WHERE link = NEW.link AND pool = NEW.pool AND valid_to IS NULL FOR NO KEY UPDATE;
        IF NOT FOUND THEN
            RETURN NULL;
        END IF;
        SELECT max(level) INTO peak FROM (
            SELECT sum(sum(delta)) OVER (ORDER BY at) AS level FROM (
                SELECT greatest(start, NEW.start) AS at, rate_bps AS delta FROM provisioning_ledgerentry
                WHERE link = NEW.link AND direction = NEW.direction AND pool = NEW.pool AND released_at IS NULL
                    AND (id = NEW.id OR lapses_at IS NULL OR lapses_at > clock_timestamp())
                    AND ("end" > NEW.start OR "end" IS NULL OR "end" <= now()) AND (until IS NULL OR start < until)
                UNION ALL
                SELECT "end", -rate_bps FROM provisioning_ledgerentry
                WHERE link = NEW.link AND direction = NEW.direction AND pool = NEW.pool AND released_at IS NULL
                    AND (id = NEW.id OR lapses_at IS NULL OR lapses_at > clock_timestamp())
                    AND "end" > NEW.start AND "end" > now() AND (until IS NULL OR start < until)
                    AND (until IS NULL OR "end" < until)
            ) AS steps GROUP BY at
        ) AS levels;
        IF peak > allowed THEN
            RAISE EXCEPTION '% % %: % bit/s would be charged, the share is % bit/s',
                NEW.link, NEW.direction, NEW.pool, peak, allowed
                USING ERRCODE = 'check_violation', CONSTRAINT = 'a_link_is_charged_within_its_share';
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER a_link_is_charged_within_its_share
    AFTER INSERT OR UPDATE OF link, direction, pool, rate_bps, start, "end", released_at, lapses_at, exempt
    ON provisioning_ledgerentry FOR EACH ROW WHEN (NEW.released_at IS NULL AND NEW.exempt = '')
    EXECUTE FUNCTION provisioning_within_share()
    """,
]
# The same in SQLite's words, which has one writer and so no lock to take. Text instants compare as instants do. Its clock
# goes on between the judgement of a service and the statement: what ended within the last ten seconds counts to its end.
_GONE = "strftime('%Y-%m-%d %H:%M:%f', 'now', '-10 seconds')"
_ROWS = f"""
    provisioning_ledgerentry AS l
    WHERE l.link = NEW.link AND l.direction = NEW.direction AND l.pool = NEW.pool AND l.released_at IS NULL
        AND (l.id = NEW.id OR l.lapses_at IS NULL OR l.lapses_at > strftime('%Y-%m-%d %H:%M:%f', 'now'))
        AND (NEW."end" IS NULL OR NEW."end" <= {_GONE} OR l.start < NEW."end")
"""
_JUDGE = f"""
    SELECT RAISE(ABORT, 'a_link_is_charged_within_its_share')
    WHERE (
        SELECT max(level) FROM (
            SELECT sum(sum(delta)) OVER (ORDER BY at) AS level FROM (
                SELECT max(l.start, NEW.start) AS at, l.rate_bps AS delta FROM {_ROWS}
                    AND (l."end" IS NULL OR l."end" > NEW.start OR l."end" <= {_GONE})
                UNION ALL
                SELECT l."end", -l.rate_bps FROM {_ROWS}
                    AND l."end" > NEW.start AND l."end" > {_GONE}
                    AND (NEW."end" IS NULL OR NEW."end" <= {_GONE} OR l."end" < NEW."end")
            ) GROUP BY at
        )
    ) > (SELECT share_bps FROM provisioning_linkshare WHERE link = NEW.link AND pool = NEW.pool AND valid_to IS NULL);
"""
SQLITE = [
    f"""
    CREATE TRIGGER a_link_is_charged_within_its_share AFTER INSERT ON provisioning_ledgerentry
    WHEN NEW.released_at IS NULL AND NEW.exempt = '' BEGIN {_JUDGE} END
    """,
    f"""
    CREATE TRIGGER a_link_stays_charged_within_its_share
    AFTER UPDATE OF link, direction, pool, rate_bps, start, "end", released_at, lapses_at, exempt ON provisioning_ledgerentry
    WHEN NEW.released_at IS NULL AND NEW.exempt = '' AND NOT (
        OLD.released_at IS NULL AND OLD.exempt = NEW.exempt AND OLD.link = NEW.link
        AND OLD.direction = NEW.direction AND OLD.pool = NEW.pool AND NEW.rate_bps <= OLD.rate_bps
        AND NEW.start >= OLD.start AND (OLD."end" IS NULL OR ifnull(NEW."end" <= OLD."end", 0))
        AND (OLD.lapses_at IS NULL OR ifnull(NEW.lapses_at <= OLD.lapses_at, 0))
    ) BEGIN {_JUDGE} END
    """,
]


def install(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def remove(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER a_link_is_charged_within_its_share ON provisioning_ledgerentry")
        schema_editor.execute("DROP FUNCTION provisioning_within_share()")
        return
    for name in ("is", "stays"):
        schema_editor.execute(f"DROP TRIGGER a_link_{name}_charged_within_its_share")


def copy_when_holds_lapse(apps, schema_editor):
    """A charge says itself when its hold lapses; until now only the request did."""
    LedgerEntry = apps.get_model("provisioning", "LedgerEntry")
    for entry in LedgerEntry.objects.filter(hold__isnull=False, released_at=None).select_related("hold"):
        LedgerEntry.objects.filter(pk=entry.pk).update(lapses_at=entry.hold.held_until)


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0014_pages_at_size'),
    ]

    operations = [
        migrations.AddField(
            model_name='ledgerentry',
            name='exempt',
            field=models.CharField(blank=True, default='', help_text='Why it may exceed a share: an import moved it here. Empty: the database refuses what does.', max_length=40),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='lapses_at',
            field=models.DateTimeField(blank=True, help_text='Of a hold: when it counts no more, released or not.', null=True),
        ),
        migrations.CreateModel(
            name='LinkShare',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link', models.CharField(max_length=200)),
                ('pool', models.CharField(max_length=40)),
                ('share_bps', models.BigIntegerField()),
                ('valid_from', models.DateTimeField()),
                ('valid_to', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('valid_to', None)), fields=('link', 'pool'), name='a_pool_has_one_share_of_a_link')],
            },
        ),
        migrations.RunPython(copy_when_holds_lapse, migrations.RunPython.noop),
        migrations.RunPython(install, remove),
    ]
