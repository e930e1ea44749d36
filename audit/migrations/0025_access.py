"""Roles of accounts, and the journal of who looked at what: rows that only end, or only grow.

The accounts that are there keep what they could do before there were roles, which was everything;
the page of accounts shows it as given by nobody, so that a review takes away what is too much.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

ROLES = {
    "support": "Support",
    "investigator": "Investigator",
    "auditor": "Auditor",
    "rules-author": "Rules author",
    "rules-approver": "Rules approver",
    "administrator": "Administrator",
}

GRANT_ENDS = """
CREATE FUNCTION audit_grant_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL
        OR to_jsonb(OLD) - 'ended_at' - 'ended_by_id'
            <> to_jsonb(NEW) - 'ended_at' - 'ended_by_id'
    THEN
        RAISE EXCEPTION 'a grant only ends, once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""

KEEP_EVERYTHING = f"""
INSERT INTO audit_grant (account_id, role, granted_at)
SELECT id, role, now() FROM auth_user, unnest(ARRAY{list(ROLES)}) role ORDER BY id, role
"""  # noqa: S608 - from constants


def account(related_name: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to=settings.AUTH_USER_MODEL,
        **options,
    )


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def name() -> "models.CharField[Any, Any]":
    return models.CharField(db_collation="C", max_length=128, null=True)


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {table} EXECUTE FUNCTION {what}()".replace(
            " EXECUTE", " FOR EACH STATEMENT EXECUTE" if "TRUNCATE" in when
            else " FOR EACH ROW EXECUTE",
        ),
        f"DROP TRIGGER {name} ON {table}",
    )  # fmt: skip


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0024_sources_of_uploads"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Grant",
            fields=[
                ("id", number()),
                ("role", models.CharField(choices=list(ROLES.items()), max_length=16)),
                ("source", name()),
                ("granted_at", models.DateTimeField(db_default=Now())),
                ("ended_at", models.DateTimeField(default=None, null=True)),
                ("account", account("grants")),
                ("granted_by", account("+", null=True)),
                ("ended_by", account("+", null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=Q(("ended_at", None), ("source__isnull", False)),
                        fields=("account", "role", "source"),
                        name="grant_once",
                    ),
                    models.UniqueConstraint(
                        condition=Q(("ended_at", None), ("source", None)),
                        fields=("account", "role"),
                        name="grant_everywhere_once",
                    ),
                    models.CheckConstraint(
                        condition=Q(("role__in", list(ROLES))), name="grant_role_known"
                    ),
                    models.CheckConstraint(
                        condition=Q(
                            Q(("ended_at", None), ("ended_by", None)),
                            ("ended_at__isnull", False),
                            _connector="OR",
                        ),
                        name="grant_ended_by_somebody",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="JournalEntry",
            fields=[
                ("id", number()),
                ("at", models.DateTimeField(db_default=Now())),
                ("actor", models.CharField(db_collation="C", max_length=150)),
                ("act", models.CharField(max_length=40)),
                ("subject", models.TextField(db_collation="C")),
                ("source", name()),
                ("hand", models.BigIntegerField(null=True)),
                ("player", name()),
                ("detail", models.JSONField(default=dict)),
                ("address", models.GenericIPAddressField(null=True)),
                ("visit", models.BigIntegerField(null=True)),
                ("key", models.BigIntegerField(null=True)),
                ("account", account("+", null=True, db_index=False)),
            ],
            options={
                "db_table": "audit_journal",
                "constraints": [
                    models.CheckConstraint(
                        condition=~Q(("actor", "")), name="journal_has_an_actor"
                    ),
                    models.CheckConstraint(condition=~Q(("act", "")), name="journal_has_an_act"),
                    models.CheckConstraint(
                        condition=~Q(("subject", "")), name="journal_has_a_subject"
                    ),
                ],
                "indexes": [
                    models.Index(fields=["account", "-id"], name="journal_by_account"),
                    models.Index(
                        condition=Q(("hand__isnull", False)),
                        fields=["hand", "-id"],
                        name="journal_by_hand",
                    ),
                    models.Index(
                        condition=Q(("player__isnull", False)),
                        fields=["player", "-id"],
                        name="journal_by_player",
                    ),
                    models.Index(
                        condition=Q(("visit__isnull", False)),
                        fields=["visit", "id"],
                        name="journal_by_visit",
                    ),
                ],
            },
        ),
        migrations.RunSQL(GRANT_ENDS, "DROP FUNCTION audit_grant_ends()"),
        trigger("only_ends", "audit_grant", "BEFORE UPDATE", "audit_grant_ends"),
        trigger("never_deleted", "audit_grant", "BEFORE DELETE", "audit_refuse_rewrite"),
        trigger("never_emptied", "audit_grant", "BEFORE TRUNCATE", "audit_refuse_truncate"),
        trigger("append_only", "audit_journal", "BEFORE UPDATE OR DELETE", "audit_refuse_rewrite"),
        trigger("never_emptied", "audit_journal", "BEFORE TRUNCATE", "audit_refuse_truncate"),
        migrations.RunSQL(KEEP_EVERYTHING, migrations.RunSQL.noop),
    )
