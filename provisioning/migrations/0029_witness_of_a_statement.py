from importlib import import_module

from django.db import migrations

import provisioning.models.spans

# On PostgreSQL the witness of 0015, 0017 and 0023 judges what a statement wrote at once, by the same rule: a series charges
# thousands of rows, an import as many, and each was judged by a query of its own. SQLite knows no rows of a statement: there it
# judges each row, as before.
_before = import_module("provisioning.migrations.0023_capacity_over_time")
_LENGTHS = ", ".join(
    f"({number}, interval '{int(each.total_seconds()) // 3600} hours')"
    for number, each in enumerate(provisioning.models.spans.LENGTHS)
)
MANY = 32
"""Windows of one (link, direction, pool) from which on one reading from the first to the last is less than one of each."""

_SAME = """
    l.link = w.link AND l.direction = w.direction AND l.pool = w.pool AND l.released_at IS NULL
    AND (l.lapses_at IS NULL OR l.lapses_at > clock_timestamp() OR l.id IN (SELECT id FROM lapsed)) AND l.start < w.until
"""
# `judged` are the windows that have to hold, `w` what is read for them; a lapsed hold is judged as if it counted. OFFSET 0: each
# a range of an index, however many the planner expects. What a planned step takes from the share counts like a charge for as
# long as it lasts.
_JUDGE = f"""
WITH {{former}} lapsed AS MATERIALIZED (
    SELECT id FROM fresh WHERE lapses_at <= clock_timestamp()
), judged AS MATERIALIZED (
    SELECT f.link, f.direction, f.pool, s.share_bps AS allowed, f.start,
        CASE WHEN f."end" > now() THEN f."end" ELSE 'infinity' END AS until
    FROM {{rows}} AS f JOIN provisioning_linkshare AS s
        ON s.link = f.link AND s.pool = f.pool AND s.valid_to IS NULL AND s.start IS NULL
    WHERE f.released_at IS NULL AND f.exempt = '' {{grown}}
    GROUP BY 1, 2, 3, 4, 5, 6
), numbered AS (
    SELECT *, CASE WHEN count(*) OVER same > {MANY} THEN 0 ELSE row_number() OVER (same ORDER BY start, until) END AS part
    FROM judged WINDOW same AS (PARTITION BY link, direction, pool)
), w AS MATERIALIZED (
    SELECT link, direction, pool, allowed, part, min(start) AS start, greatest(min(start), now()) AS since, max(until) AS until
    FROM numbered GROUP BY link, direction, pool, allowed, part
), held AS MATERIALIZED (
    SELECT w.*, l.start AS begins, l."end" AS ends, l.rate_bps FROM w, (VALUES {_LENGTHS}) AS c(span, longest), LATERAL (
        SELECT l.start, l."end", l.rate_bps FROM provisioning_ledgerentry AS l
        WHERE {_SAME} AND l.span = c.span AND l.start > w.since - c.longest AND l."end" > w.since OFFSET 0) AS l
    UNION ALL
    SELECT w.*, l.start, l."end", l.rate_bps FROM w, LATERAL (
        SELECT l.start, l."end", l.rate_bps FROM provisioning_ledgerentry AS l
        WHERE {_SAME} AND l.span = {provisioning.models.spans.OPEN} AND (l."end" > w.since OR l."end" IS NULL) OFFSET 0) AS l
    UNION ALL
    SELECT w.*, l.start, NULL, l.rate_bps FROM w, LATERAL (
        SELECT l.start, l.rate_bps FROM provisioning_ledgerentry AS l WHERE {_SAME} AND l."end" <= now() OFFSET 0) AS l
    UNION ALL
    SELECT w.*, s.start, s."end", w.allowed - s.share_bps FROM w JOIN provisioning_linkshare AS s
        ON s.link = w.link AND s.pool = w.pool AND s.valid_to IS NULL AND s.start IS NOT NULL
        AND s.start < w.until AND (s."end" > greatest(w.start, clock_timestamp()) OR s."end" IS NULL)
), levels AS (
    SELECT link, direction, pool, allowed, part, at, sum(sum(delta)) OVER (parts ORDER BY at) AS level,
        lead(at) OVER (parts ORDER BY at) AS next
    FROM (
        SELECT link, direction, pool, allowed, part, greatest(begins, start) AS at, rate_bps AS delta FROM held
        UNION ALL
        SELECT link, direction, pool, allowed, part, ends, -rate_bps FROM held WHERE ends < until
    ) AS steps GROUP BY link, direction, pool, allowed, part, at
    WINDOW parts AS (PARTITION BY link, direction, pool, part)
)
SELECT v.link, v.direction, v.pool, v.level, v.allowed FROM levels AS v
WHERE v.level > v.allowed AND EXISTS (
    SELECT FROM numbered AS n WHERE (n.link, n.direction, n.pool, n.part) = (v.link, v.direction, v.pool, v.part)
        AND v.at < n.until AND (v.next > n.start OR v.next IS NULL))
LIMIT 1
"""
# What a changed row adds: nothing where it is less, within what it was. All rows are joined before any is left out: of what is
# left the planner expects one, and would look through all for each.
_FORMER = """changed AS MATERIALIZED (
    SELECT f.*, (
        o.released_at IS NULL AND o.exempt = f.exempt AND (o.link, o.direction, o.pool) = (f.link, f.direction, f.pool)
        AND f.rate_bps <= o.rate_bps AND f.start >= o.start AND (o."end" IS NULL OR f."end" <= o."end")
        AND (o.lapses_at IS NULL OR f.lapses_at <= o.lapses_at) AND o.id IS NOT NULL
    ) IS TRUE AS less FROM fresh AS f LEFT JOIN former AS o ON o.id = f.id
)"""
# The query is planned each time: one row and a hundred thousand want another plan.
_FUNCTION = """
    CREATE FUNCTION provisioning_within_shares_{when}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
        found record;
        shares bigint;
    BEGIN
        EXECUTE $lock$
            {with} SELECT FROM provisioning_linkshare AS s WHERE s.valid_to IS NULL AND s.start IS NULL AND (s.link, s.pool) IN (
                SELECT f.link, f.pool FROM {rows} AS f WHERE f.released_at IS NULL AND f.exempt = '' {grown})
            ORDER BY s.id FOR NO KEY UPDATE
        $lock$;
        GET DIAGNOSTICS shares = ROW_COUNT;
        IF shares = 0 THEN
            RETURN NULL;
        END IF;
        EXECUTE $judge${judge}$judge$ INTO found;
        IF found.link IS NOT NULL THEN
            RAISE EXCEPTION '% % %: % bit/s would be charged, the share is % bit/s',
                found.link, found.direction, found.pool, found.level, found.allowed
                USING ERRCODE = 'check_violation', CONSTRAINT = 'a_link_is_charged_within_its_share';
        END IF;
        RETURN NULL;
    END $$
"""
_TRIGGER = """
    CREATE TRIGGER a_link_{verb}_charged_within_its_share AFTER {when} ON provisioning_ledgerentry
    REFERENCING {rows} FOR EACH STATEMENT EXECUTE FUNCTION provisioning_within_shares_{when}()
"""
_TRIGGERS = {
    "is": ("INSERT", "NEW TABLE AS fresh", {"with": "", "former": "", "rows": "fresh", "grown": ""}),
    "stays": (
        "UPDATE",
        "OLD TABLE AS former NEW TABLE AS fresh",
        {"with": f"WITH {_FORMER}", "former": f"{_FORMER},", "rows": "changed", "grown": "AND NOT f.less"},
    ),
}


def install(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    _before.take_away(apps, schema_editor)
    for verb, (when, rows, parts) in _TRIGGERS.items():
        function = _FUNCTION.replace("{judge}", _JUDGE).replace("{when}", when.lower())
        for name, text in parts.items():
            function = function.replace(f"{{{name}}}", text)
        schema_editor.execute(function, params=None)
        schema_editor.execute(
            _TRIGGER.format(verb=verb, when=when, rows=rows).replace(f"shares_{when}()", f"shares_{when.lower()}()"),
            params=None,
        )


def remove(apps, schema_editor):
    if schema_editor.connection.vendor != "postgresql":
        return
    for verb, (when, _rows, _parts) in _TRIGGERS.items():
        schema_editor.execute(f"DROP TRIGGER a_link_{verb}_charged_within_its_share ON provisioning_ledgerentry")
        schema_editor.execute(f"DROP FUNCTION provisioning_within_shares_{when.lower()}()")
    _before.install(apps, schema_editor)


class Migration(migrations.Migration):

    dependencies = [
        ('provisioning', '0028_what_drift_is_known_by'),
    ]

    operations = [
        migrations.RunPython(install, remove),
    ]
