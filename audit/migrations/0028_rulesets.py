"""Rulesets that were handed in, what is in force where, and a rehearsal of the latest hands.

The database itself keeps a revision's bytes, who wrote it and who published it: the bytes are
those of their hash, a second person publishes, a rehearsal of these very bytes has ended or is
said not to be needed, and nothing that was published changes or goes away. Switches are only ever
added, and none is declared by whoever wrote the revision.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

# The transitions of a revision; everything that is not of one of them stays as it is.
REVISION_GOES_ON = """
CREATE FUNCTION audit_ruleset_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    closing text[] := ARRAY['state', 'closed_by_id', 'closed_at', 'close_reason'];
    publishing text[] := ARRAY['state', 'publication', 'published_by_id', 'published_at',
        'publish_reason', 'rehearsal_id', 'unrehearsed_reason'];
    moved text[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state <> 'draft' THEN
            RAISE EXCEPTION 'a ruleset begins as a draft' USING ERRCODE = 'restrict_violation';
        END IF;
        IF NEW.sha256 <> sha256(NEW.content)
            OR NEW.name <> NEW.ruleset_id || '@' || NEW.revision::text
        THEN
            RAISE EXCEPTION 'ruleset % is not what its name and its hash say', NEW.name
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    moved := CASE
        WHEN OLD.state = 'draft' AND NEW.state = 'published' THEN publishing
        WHEN OLD.state = 'draft' AND NEW.state = 'withdrawn' THEN closing
        WHEN OLD.state = 'published' AND NEW.state = 'retired' THEN closing
    END;
    IF moved IS NULL OR to_jsonb(OLD) - moved <> to_jsonb(NEW) - moved THEN
        RAISE EXCEPTION 'ruleset % is % and stays as it is', OLD.name, OLD.state
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.state = 'published' AND NEW.rehearsal_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM audit_reaudit r
        WHERE r.id = NEW.rehearsal_id AND r.ruleset = NEW.name AND r.ruleset_sha256 = NEW.sha256
            AND r.state IN ('done', 'partly') AND r.rehearsed_count > 0
    ) THEN
        RAISE EXCEPTION 'that is no rehearsal of ruleset %', OLD.name
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

SWITCH_BY_ANOTHER = """
CREATE FUNCTION audit_ruleset_switch_by_another() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.kind = 'start' AND EXISTS (
        SELECT FROM audit_rulesetrevision r
        WHERE r.name = NEW.ruleset AND r.state <> 'withdrawn' AND (
            r.state <> 'published' OR r.sha256 <> NEW.sha256 OR r.author_id = NEW.declared_by_id
        )
    ) THEN
        RAISE EXCEPTION 'ruleset % cannot be put in force by this account', NEW.ruleset
            USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.kind = 'cancel' AND NOT EXISTS (
        SELECT FROM audit_rulesetswitch s
        WHERE s.id = NEW.cancels_id AND s.kind <> 'cancel'
            AND (s.source, s.game, s.ruleset_id, s.effective_at)
                = (NEW.source, NEW.game, NEW.ruleset_id, NEW.effective_at)
    ) THEN
        RAISE EXCEPTION 'that switch cannot be taken back' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

KEEP_NEWEST = """
CREATE TRIGGER newest_kept BEFORE UPDATE OF newest_max, played_from, hand_from ON audit_reaudit
FOR EACH ROW WHEN (
    (OLD.newest_max, OLD.played_from, OLD.hand_from)
        IS DISTINCT FROM (NEW.newest_max, NEW.played_from, NEW.hand_from)
) EXECUTE FUNCTION audit_refuse_rewrite()
"""

ROW = "FOR EACH ROW EXECUTE FUNCTION"
REVISION, SWITCH = "audit_rulesetrevision", "audit_rulesetswitch"
# Name, table, when, what.
TRIGGERS = (
    ("goes_on", REVISION, "BEFORE INSERT OR UPDATE", f"{ROW} audit_ruleset_goes_on()"),
    ("never_deleted", REVISION, "BEFORE DELETE", f"{ROW} audit_refuse_rewrite()"),
    ("append_only", SWITCH, "BEFORE UPDATE OR DELETE", f"{ROW} audit_refuse_rewrite()"),
    ("by_another", SWITCH, "BEFORE INSERT", f"{ROW} audit_ruleset_switch_by_another()"),
    *(
        ("never_emptied", table, "BEFORE TRUNCATE",
         "FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_truncate()")
        for table in (REVISION, SWITCH)
    ),
)  # fmt: skip


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {table} {what}", f"DROP TRIGGER {name} ON {table}"
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0027_accounts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.AddField(
            model_name="reaudit",
            name="hand_from",
            field=models.BigIntegerField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="reaudit",
            name="newest_max",
            field=models.BigIntegerField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="reaudit",
            name="played_from",
            field=models.DateTimeField(default=None, null=True),
        ),
        migrations.CreateModel(
            name="RulesetRevision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("ruleset_id", models.CharField(db_collation="C", max_length=128)),
                ("revision", models.BigIntegerField()),
                ("name", models.CharField(db_collation="C", max_length=128)),
                ("game", models.CharField(db_collation="C", max_length=128)),
                ("title", models.TextField()),
                ("content", models.BinaryField()),
                ("sha256", models.BinaryField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("published", "Published"),
                            ("retired", "Retired"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("reason", models.TextField()),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("publication", models.BigIntegerField(default=None, null=True)),
                ("published_at", models.DateTimeField(default=None, null=True)),
                ("publish_reason", models.TextField(blank=True, default="")),
                ("unrehearsed_reason", models.TextField(blank=True, default="")),
                ("closed_at", models.DateTimeField(default=None, null=True)),
                ("close_reason", models.TextField(blank=True, default="")),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "closed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rehearsal",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.reaudit",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["ruleset_id", "revision"], name="ruleset_by_id")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "withdrawn"), _negated=True),
                        fields=("name",),
                        name="ruleset_once",
                    ),
                    models.UniqueConstraint(
                        fields=("publication",), name="ruleset_publication_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["draft", "published", "retired", "withdrawn"])
                        ),
                        name="ruleset_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("published_by", None),
                            models.Q(("published_by", models.F("author")), _negated=True),
                            _connector="OR",
                        ),
                        name="ruleset_second_person",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="ruleset_has_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                models.Q(("publish_reason", ""), _negated=True),
                                models.Q(
                                    ("rehearsal__isnull", False),
                                    models.Q(("unrehearsed_reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                ("publication__isnull", False),
                                ("published_at__isnull", False),
                                ("published_by__isnull", False),
                                ("state__in", ("published", "retired")),
                            ),
                            models.Q(
                                ("publication", None),
                                ("publish_reason", ""),
                                ("published_at", None),
                                ("published_by", None),
                                ("rehearsal", None),
                                ("state__in", ["draft", "withdrawn"]),
                                ("unrehearsed_reason", ""),
                            ),
                            _connector="OR",
                        ),
                        name="ruleset_publication_is_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                models.Q(("close_reason", ""), _negated=True),
                                ("closed_at__isnull", False),
                                ("closed_by__isnull", False),
                                ("state__in", ("retired", "withdrawn")),
                            ),
                            models.Q(
                                ("close_reason", ""),
                                ("closed_at", None),
                                ("closed_by", None),
                                ("state__in", ["draft", "published"]),
                            ),
                            _connector="OR",
                        ),
                        name="ruleset_close_is_whole",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RulesetSwitch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("game", models.CharField(db_collation="C", max_length=128)),
                ("ruleset_id", models.CharField(db_collation="C", max_length=128)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("start", "In force"),
                            ("end", "No longer in force"),
                            ("cancel", "Taken back"),
                        ],
                        max_length=6,
                    ),
                ),
                ("ruleset", models.CharField(db_collation="C", max_length=128)),
                ("sha256", models.BinaryField(default=None, null=True)),
                ("effective_at", models.DateTimeField()),
                (
                    "declared_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("reason", models.TextField()),
                (
                    "cancels",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="cancelled_by",
                        to="audit.rulesetswitch",
                    ),
                ),
                (
                    "declared_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["source", "game", "effective_at"], name="ruleset_switch_of"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                models.Q(("ruleset", ""), _negated=True),
                                ("cancels", None),
                                ("kind", "start"),
                                ("sha256__isnull", False),
                            ),
                            models.Q(
                                ("cancels", None),
                                ("kind", "end"),
                                ("ruleset", ""),
                                ("sha256", None),
                            ),
                            models.Q(
                                ("cancels__isnull", False),
                                ("kind", "cancel"),
                                ("ruleset", ""),
                                ("sha256", None),
                            ),
                            _connector="OR",
                        ),
                        name="ruleset_switch_is_whole",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="ruleset_switch_has_a_reason",
                    ),
                ],
            },
        ),
        migrations.RunSQL(REVISION_GOES_ON, "DROP FUNCTION audit_ruleset_goes_on()"),
        migrations.RunSQL(SWITCH_BY_ANOTHER, "DROP FUNCTION audit_ruleset_switch_by_another()"),
        *(trigger(*one) for one in TRIGGERS),
        migrations.RunSQL(KEEP_NEWEST, "DROP TRIGGER newest_kept ON audit_reaudit"),
    )
