from importlib import import_module

import django.db.models.deletion
import provisioning.models.spans
from django.db import migrations, models
from django.db.models import F, OuterRef, Subquery

# The witness of 0015, which reads no more than what overlaps the window of the row it judges: by the length that a charge has
# at most (models/spans.py) it is a range of an index for each length, and the few that are over and were not seen gone.
_LENGTHS = ", ".join(
    f"({number}, interval '{int(each.total_seconds()) // 3600} hours')"
    for number, each in enumerate(provisioning.models.spans.LENGTHS)
)
_SAME = """
    l.link = NEW.link AND l.direction = NEW.direction AND l.pool = NEW.pool AND l.released_at IS NULL
    AND (l.id = NEW.id OR l.lapses_at IS NULL OR l.lapses_at > clock_timestamp())
"""
WITNESS = f"""
    CREATE OR REPLACE FUNCTION provisioning_within_share() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        allowed bigint;
        peak numeric;
        until timestamptz := CASE WHEN NEW."end" > now() THEN NEW."end" ELSE 'infinity' END;
        since timestamptz := greatest(NEW.start, now());
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
        WITH held AS MATERIALIZED (
            SELECT l.start, l."end", l.rate_bps
                FROM (VALUES {_LENGTHS}) AS c(span, longest), provisioning_ledgerentry AS l
                WHERE {_SAME} AND l.span = c.span AND l.start > since - c.longest AND l.start < until AND l."end" > since
            UNION ALL
            SELECT l.start, l."end", l.rate_bps FROM provisioning_ledgerentry AS l
                WHERE {_SAME} AND l.span = {provisioning.models.spans.OPEN} AND l.start < until
                AND (l."end" > since OR l."end" IS NULL)
            UNION ALL
            SELECT l.start, NULL, l.rate_bps FROM provisioning_ledgerentry AS l
                WHERE {_SAME} AND l."end" <= now() AND l.start < until
        )
        SELECT max(level) INTO peak FROM (
            SELECT sum(sum(delta)) OVER (ORDER BY at) AS level FROM (
                SELECT greatest(start, NEW.start) AS at, rate_bps AS delta FROM held
                UNION ALL
                SELECT "end", -rate_bps FROM held WHERE "end" < until
            ) AS steps GROUP BY at
        ) AS levels;
        IF peak > allowed THEN
            RAISE EXCEPTION '% % %: % bit/s would be charged, the share is % bit/s',
                NEW.link, NEW.direction, NEW.pool, peak, allowed
                USING ERRCODE = 'check_violation', CONSTRAINT = 'a_link_is_charged_within_its_share';
        END IF;
        RETURN NULL;
    END $$
"""
_first = import_module("provisioning.migrations.0015_shares_have_a_witness")


def take_away(apps, schema_editor):
    _first.remove(apps, schema_editor)


def install_first(apps, schema_editor):
    _first.install(apps, schema_editor)


def install(apps, schema_editor):
    """SQLite made the table anew, and its triggers went with the old one; there they are as they were."""
    _first.install(apps, schema_editor)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(WITNESS, params=None)


def remove(apps, schema_editor):
    _first.remove(apps, schema_editor)


def fill(apps, schema_editor):
    """Whose each charge is: the request of its reservation, or the one it is held for."""
    LedgerEntry, Reservation = (apps.get_model("provisioning", name) for name in ("LedgerEntry", "Reservation"))
    granted = Reservation.objects.filter(pk=OuterRef("reservation_id")).values("request_id")[:1]
    LedgerEntry.objects.filter(hold__isnull=False).update(request_id=F("hold_id"))
    LedgerEntry.objects.filter(hold__isnull=True).update(request_id=Subquery(granted))
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0016_ahead'),
    ]

    operations = [
        migrations.RunPython(take_away, install_first),
        migrations.AddField(
            model_name='ledgerentry',
            name='request',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='all_charges', to='provisioning.premiumrequest'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='ledgerentry',
            name='request',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='all_charges', to='provisioning.premiumrequest'),
        ),
        migrations.AddField(
            model_name='ledgerentry',
            name='span',
            field=models.GeneratedField(db_persist=True, expression=provisioning.models.spans.LengthOf('start', 'end'), output_field=models.SmallIntegerField()),
        ),
        migrations.RemoveIndex(
            model_name='ledgerentry',
            name='provisionin_link_5e2b6e_idx',
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('released_at__isnull', True)), fields=['link', 'span', 'start', 'end'], name='charges_by_length_and_start'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(condition=models.Q(('released_at__isnull', True)), fields=['link', 'end'], name='charges_by_end'),
        ),
        migrations.RunPython(install, remove),
    ]
