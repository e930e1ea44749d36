"""Hands, versions, verdicts and findings by the month of receipt that the key of a hand carries.

A key is the number of the month since January 2020, times 2^40, plus what the sequence gives. The
rows of before keep their keys and their table, which is attached as the first partition: nothing is
copied. A partition holds what its parent holds, triggers of statements included; `audit_add_month`
makes one, also later on.
"""

from django.db import migrations

# Table, the column by whose ranges it is parted, what must be of one month with the key.
TABLES = (
    ("audit_hand", "id", None),
    ("audit_handversion", "hand_id", "version_in_month"),
    ("audit_verdict", "version_id", "verdict_in_month"),
    ("audit_finding", "verdict_id", None),
)

MONTH = """
CREATE FUNCTION audit_month(at timestamptz) RETURNS int8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (extract(year FROM at AT TIME ZONE 'UTC')::int8 - 2020) * 12
        + extract(month FROM at AT TIME ZONE 'UTC')::int8 - 1
$$
"""

# The month of the transaction, so that what one chunk stores goes into one month. Of the sequence
# the lower bits alone, should somebody set it to a whole key.
DRAW = """
CREATE FUNCTION audit_draw(sequence regclass) RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT (((extract(year FROM now() AT TIME ZONE 'UTC')::int8 - 2020) * 12
        + extract(month FROM now() AT TIME ZONE 'UTC')::int8 - 1) << 40)
        + (nextval(sequence) & 1099511627775)
$$
"""

# What belongs to a hand lies with it, whenever it comes.
DRAW_BESIDE = """
CREATE FUNCTION audit_draw_beside(key int8, sequence regclass)
RETURNS int8 LANGUAGE sql VOLATILE AS $$
    SELECT ((key >> 40) << 40) + (nextval(sequence) & 1099511627775)
$$
"""

# What a parent does not hand down: keys by themselves, and the triggers of statements.
DRESS = """
CREATE FUNCTION audit_dress_partition(parent regclass, part regclass)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    whole text := (
        SELECT format('%I.%I', n.nspname, c.relname)
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent
    );
    one record;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_index WHERE indrelid = part AND indisprimary) THEN
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (id)', part);
    END IF;
    IF parent = 'audit_handversion'::regclass AND NOT EXISTS (
        SELECT FROM pg_constraint
        WHERE conrelid = part AND contype = 'u'
            AND pg_get_constraintdef(oid) = 'UNIQUE (upload_id, line)'
    ) THEN
        EXECUTE format('ALTER TABLE %s ADD UNIQUE (upload_id, line)', part);
    END IF;
    FOR one IN
        SELECT pg_get_triggerdef(t.oid) AS statement FROM pg_trigger t
        WHERE t.tgrelid = parent AND NOT t.tgisinternal AND t.tgtype & 1 = 0
            AND NOT EXISTS (
                SELECT FROM pg_trigger o WHERE o.tgrelid = part AND o.tgname = t.tgname
            )
        ORDER BY t.tgname
    LOOP
        EXECUTE replace(one.statement, format(' ON %s ', whole), format(' ON %s ', part));
    END LOOP;
END
$$
"""

# An index of a partition is named for that of its parent, so that a plan can be read.
NAME = """
CREATE FUNCTION audit_name_indexes(parent regclass, part regclass)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT o.relname AS whole, c.relname AS found,
            o.relname || replace(p.relname, w.relname, '') AS wanted
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        JOIN pg_class o ON o.oid = i.inhparent JOIN pg_index x ON x.indexrelid = c.oid
        JOIN pg_class p ON p.oid = x.indrelid JOIN pg_class w ON w.oid = parent
        WHERE x.indrelid = part
    LOOP
        IF one.found <> one.wanted THEN
            EXECUTE format('ALTER INDEX %I RENAME TO %I', one.found, one.wanted);
        END IF;
    END LOOP;
END
$$
"""

# Bounds are months, each from its first key to the first key of the next; NULL for both makes the
# partition for what has no month of its own. Its readers are kept waiting for no longer than it
# takes to write it down: what can be done beforehand is.
ADD = """
CREATE FUNCTION audit_add_partition(parent regclass, part text, first_month int8, until_month int8)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE %I (LIKE %s INCLUDING ALL)', part, parent);
    PERFORM audit_dress_partition(parent, format('%I', part)::regclass);
    IF first_month IS NULL THEN
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %I DEFAULT', parent, part);
    ELSE
        EXECUTE format(
            'ALTER TABLE %s ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
            parent, part, first_month << 40, until_month << 40
        );
    END IF;
    PERFORM audit_name_indexes(parent, format('%I', part)::regclass);
END
$$
"""

# The table of before becomes the partition of month 0; a new one over it takes its name, its
# constraints, its indexes and its triggers.
PART = """
DO $outer$
DECLARE
    was text := '{table}_before';
    sequence text := '{table}_id_seq';
    last int8;
    is_called bool;
    one record;
    triggers text[];
BEGIN
    LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;
    SELECT array_agg(pg_get_triggerdef(oid) ORDER BY tgname) INTO triggers
    FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND NOT tgisinternal;
    FOR one IN
        SELECT tgname FROM pg_trigger
        WHERE tgrelid = '{table}'::regclass AND NOT tgisinternal AND tgtype & 1 = 1
    LOOP
        EXECUTE format('DROP TRIGGER %I ON {table}', one.tgname);
    END LOOP;

    EXECUTE format('SELECT last_value, is_called FROM %I', sequence) INTO last, is_called;
    ALTER TABLE {table} ALTER id DROP IDENTITY;
    EXECUTE format('CREATE SEQUENCE %I AS int8', sequence);
    PERFORM setval(sequence::regclass, last, is_called);

    EXECUTE format('ALTER TABLE {table} RENAME TO %I', was);
    {check}
    FOR one IN
        SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = was::regclass
    LOOP
        EXECUTE format('ALTER INDEX %I RENAME TO %I', one.relname, one.relname || '_before');
    END LOOP;

    EXECUTE format(
        'CREATE TABLE {table} (LIKE %I INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE ({by})',
        was
    );
    EXECUTE format(
        'ALTER TABLE {table} ALTER id SET DEFAULT audit_draw(%L::regclass)', sequence
    );
    EXECUTE format('ALTER SEQUENCE %I OWNED BY {table}.id', sequence);
    FOR one IN
        SELECT conname AS name, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint
        WHERE conrelid = was::regclass AND contype IN ('p', 'u')
            AND (SELECT attnum FROM pg_attribute
                WHERE attrelid = was::regclass AND attname = '{by}') = ANY(conkey)
    LOOP
        EXECUTE format(
            'ALTER TABLE {table} ADD CONSTRAINT %I %s',
            regexp_replace(one.name, '_before$', ''), one.definition
        );
    END LOOP;
    FOR one IN
        SELECT pg_get_indexdef(i.indexrelid) AS definition, c.relname AS name, n.nspname AS space
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE i.indrelid = was::regclass
            AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid)
    LOOP
        EXECUTE replace(
            replace(one.definition, format(' INDEX %I ON ', one.name), format(
                ' INDEX %I ON ', regexp_replace(one.name, '_before$', ''))),
            format(' ON %I.%I ', one.space, was), ' ON {table} '
        );
    END LOOP;
    EXECUTE format('ALTER TABLE {table} ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%s)',
        was, 1::int8 << 40);
    FOR one IN
        SELECT statement FROM unnest(triggers) AS statement
    LOOP
        EXECUTE one.statement;
    END LOOP;
    PERFORM audit_dress_partition('{table}', was::regclass);
    PERFORM audit_add_partition('{table}', '{table}_rest', NULL, NULL);
END
$outer$
"""

# This month and the next stand ready; who runs the service has more made ahead.
FIRST = """
SELECT audit_add_partition(
    parent::regclass,
    parent || '_' || to_char('2020-01-01'::date + m * interval '1 month', 'YYYY_MM'),
    m, m + 1
)
FROM unnest(ARRAY['audit_hand', 'audit_handversion', 'audit_verdict', 'audit_finding']) AS parent,
    generate_series(audit_month(now()), audit_month(now()) + 1) AS m
"""


def part(table: str, by: str, check: str | None) -> migrations.RunSQL:
    condition = ""
    if check is not None:
        condition = (
            f"EXECUTE format('ALTER TABLE %I ADD CONSTRAINT {check}"
            f" CHECK (id >> 40 = {by} >> 40)', was);"
        )
    return migrations.RunSQL(PART.format(table=table, by=by, check=condition))


class Migration(migrations.Migration):
    dependencies = (("audit", "0041_identities"),)

    operations = (
        *(
            migrations.RunSQL(statement)
            for statement in (MONTH, DRAW, DRAW_BESIDE, DRESS, NAME, ADD)
        ),
        *(part(*table) for table in TABLES),
        migrations.RunSQL(FIRST),
    )  # fmt: skip
