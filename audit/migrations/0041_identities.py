"""Which hand an id of a source is, in a narrow table that is never partitioned.

A hand's row brings its identity with it: whoever adds a second hand of one identity is refused at
the end of the statement, and waits there for another who is about to. It goes only with its hand.
"""

from django.db import migrations, models

# A hand whose identity was taken by the same statement's owner beforehand finds it its own. Written
# in the order of the names, so that two chunks wait for each other in one direction only.
IDENTIFY = """
CREATE FUNCTION audit_identify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit_identity AS known (source, hand_id, key)
    SELECT source, hand_id, id FROM news ORDER BY source, hand_id
    ON CONFLICT (source, hand_id) DO UPDATE SET key = excluded.key WHERE known.key <> excluded.key;
    RETURN NULL;
END
$$
"""
KEEP = """
CREATE FUNCTION audit_keep_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'hand % of % is stored already', OLD.hand_id, OLD.source
        USING ERRCODE = 'unique_violation', CONSTRAINT = 'hand_identity', TABLE = 'audit_hand';
END
$$
"""
LEAVE = """
CREATE FUNCTION audit_leave_identity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM audit_hand WHERE id = OLD.key) THEN
        RAISE EXCEPTION 'an identity goes only with its hand'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$
"""
FORGET = """
CREATE FUNCTION audit_forget_identities() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM audit_identity i USING gone g
    WHERE i.source = g.source AND i.hand_id = g.hand_id AND i.key = g.id;
    RETURN NULL;
END
$$
"""


def function(statement: str) -> migrations.RunSQL:
    name = statement.split("CREATE FUNCTION ", 1)[1].split("(", 1)[0]
    return migrations.RunSQL(statement, f"DROP FUNCTION {name}()")


def trigger(name: str, table: str, rest: str) -> migrations.RunSQL:
    when, what = rest.split(" ON ", 1)
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {table} {what}", f"DROP TRIGGER {name} ON {table}"
    )


class Migration(migrations.Migration):
    dependencies = (("audit", "0040_hands_named_unchecked"),)

    operations = (
        migrations.CreateModel(
            name="Identity",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "source", "hand_id", blank=True, editable=False, primary_key=True,
                        serialize=False,
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("hand_id", models.CharField(db_collation="C", max_length=128)),
                ("key", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(
            "INSERT INTO audit_identity (source, hand_id, key)"
            " SELECT source, hand_id, id FROM audit_hand ORDER BY source, hand_id",
            migrations.RunSQL.noop,
        ),
        function(IDENTIFY),
        function(KEEP),
        function(LEAVE),
        function(FORGET),
        trigger(
            "identified",
            "audit_hand",
            "AFTER INSERT ON REFERENCING NEW TABLE AS news"
            " FOR EACH STATEMENT EXECUTE FUNCTION audit_identify()",
        ),
        trigger(
            "forgotten",
            "audit_hand",
            "AFTER DELETE ON REFERENCING OLD TABLE AS gone"
            " FOR EACH STATEMENT EXECUTE FUNCTION audit_forget_identities()",
        ),
        trigger(
            "kept", "audit_identity",
            "BEFORE UPDATE ON FOR EACH ROW EXECUTE FUNCTION audit_keep_identity()",
        ),
        trigger(
            "left_last", "audit_identity",
            "BEFORE DELETE ON FOR EACH ROW EXECUTE FUNCTION audit_leave_identity()",
        ),
        trigger(
            "never_emptied", "audit_identity",
            "BEFORE TRUNCATE ON FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_truncate()",
        ),
        migrations.RemoveConstraint(model_name="hand", name="hand_identity"),
    )  # fmt: skip
