"""The person behind an account, former passwords, the second step, visits, attempts and reviews."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models import Q
from django.db.models.functions import Now

ENDS = {
    "signed-out": "signed out",
    "idle": "was idle for too long",
    "age": "lasted too long",
    "closed": "the account was closed",
    "password": "the password was changed",
    "left": "another sign-in in the same browser",
}
WAYS = {
    "password": "password",
    "code": "code of an authenticator",
    "recovery": "recovery code",
    "key": "key of the API",
}
OUTCOMES = {
    "good": "let in",
    "half": "asked for the second step",
    "wrong": "wrong",
    "locked": "refused while locked",
    "closed": "the account is closed",
}
REVIEWS = {
    "access": "who may do what",
    "journal": "the journal",
    "sign-ins": "attempts to sign in",
}
APPEND_ONLY = ("audit_signin", "audit_review")

# What was written down of a visit stays; it is seen later and later, and ends once.
VISIT_ENDS = """
CREATE FUNCTION audit_visit_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL OR NEW.seen_at < OLD.seen_at
        OR to_jsonb(OLD) - 'seen_at' - 'ended_at' - 'ended_how'
            <> to_jsonb(NEW) - 'seen_at' - 'ended_at' - 'ended_how'
    THEN
        RAISE EXCEPTION 'a visit only ends, once' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""


def number() -> "models.BigAutoField[int, int]":
    return models.BigAutoField(
        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
    )


def account(related_name: str, **options: Any) -> "models.ForeignKey[Any, Any]":
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT,
        related_name=related_name,
        to=settings.AUTH_USER_MODEL,
        **options,
    )


def account_itself(related_name: str) -> "models.OneToOneField[Any, Any]":
    return models.OneToOneField(
        on_delete=django.db.models.deletion.PROTECT,
        primary_key=True,
        related_name=related_name,
        serialize=False,
        to=settings.AUTH_USER_MODEL,
    )


def now() -> "models.DateTimeField[Any, Any]":
    return models.DateTimeField(db_default=Now())


def instant() -> "models.DateTimeField[Any, Any]":
    return models.DateTimeField(default=None, null=True)


def choice(choices: dict[str, str], **options: Any) -> "models.CharField[Any, Any]":
    return models.CharField(choices=list(choices.items()), max_length=12, **options)


def trigger(name: str, table: str, when: str, what: str) -> migrations.RunSQL:
    each = "STATEMENT" if "TRUNCATE" in when else "ROW"
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON {table} FOR EACH {each} EXECUTE FUNCTION {what}()",
        f"DROP TRIGGER {name} ON {table}",
    )


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0026_reports"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="Staff",
            fields=[
                ("account", account_itself("staff")),
                ("full_name", models.CharField(blank=True, default="", max_length=150)),
                ("title", models.CharField(blank=True, default="", max_length=150)),
                ("must_change", models.BooleanField(default=False)),
                ("closed_at", instant()),
                ("closed_by", account("+", null=True)),
            ],
        ),
        migrations.CreateModel(
            name="PasswordRecord",
            fields=[
                ("id", number()),
                ("hash", models.CharField(max_length=256)),
                ("set_at", now()),
                ("account", account("passwords")),
            ],
        ),
        migrations.CreateModel(
            name="SecondStep",
            fields=[
                ("account", account_itself("second_step")),
                ("secret", models.BinaryField()),
                ("made_at", now()),
                ("confirmed_at", instant()),
                ("last_step", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", number()),
                ("sha256", models.BinaryField()),
                ("used_at", instant()),
                ("account", account("recovery_codes")),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("account", "sha256"), name="recovery_code_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                ("id", number()),
                ("started_at", now()),
                ("seen_at", now()),
                ("ended_at", instant()),
                ("ended_how", choice(ENDS, blank=True, default="")),
                ("address", models.GenericIPAddressField(null=True)),
                ("port", models.PositiveIntegerField(null=True)),
                ("agent", models.CharField(blank=True, default="", max_length=200)),
                ("account", account("visits")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(
                            Q(("ended_at", None), ("ended_how", "")),
                            Q(("ended_at__isnull", False), Q(("ended_how", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="visit_ended_somehow",
                    )
                ],
                "indexes": [models.Index(fields=["account", "-id"], name="visit_by_account")],
            },
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", number()),
                ("at", now()),
                ("name", models.CharField(db_collation="C", max_length=150)),
                ("way", choice(WAYS)),
                ("outcome", choice(OUTCOMES)),
                ("address", models.GenericIPAddressField(null=True)),
                ("port", models.PositiveIntegerField(null=True)),
                ("visit", models.BigIntegerField(null=True)),
                ("account", account("+", null=True, db_index=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["account", "-id"], name="sign_in_by_account"),
                    models.Index(
                        condition=Q(("outcome", "wrong")),
                        fields=["address", "-at"],
                        name="sign_in_bad_by_address",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Review",
            fields=[
                ("id", number()),
                ("kind", choice(REVIEWS)),
                ("reviewed_at", now()),
                ("first", models.BigIntegerField(default=0)),
                ("last", models.BigIntegerField(default=0)),
                ("note", models.TextField()),
                ("facts", models.JSONField(default=dict)),
                ("reviewed_by", account("+")),
            ],
            options={
                "indexes": [models.Index(fields=["kind", "-id"], name="review_by_kind")],
            },
        ),
        migrations.AddField(
            model_name="apitoken",
            name="acts",
            field=ArrayField(
                base_field=models.CharField(max_length=40), default=None, null=True, size=None
            ),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="sources",
            field=ArrayField(
                base_field=models.CharField(db_collation="C", max_length=128),
                default=None,
                null=True,
                size=None,
            ),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="last_address",
            field=models.GenericIPAddressField(default=None, null=True),
        ),
        migrations.AddField(
            model_name="apitoken", name="created_by", field=account("+", null=True)
        ),
        migrations.RunSQL(VISIT_ENDS, "DROP FUNCTION audit_visit_ends()"),
        trigger("only_ends", "audit_visit", "BEFORE UPDATE", "audit_visit_ends"),
        trigger("never_deleted", "audit_visit", "BEFORE DELETE", "audit_refuse_rewrite"),
        trigger("never_emptied", "audit_visit", "BEFORE TRUNCATE", "audit_refuse_truncate"),
        *(
            trigger("append_only", table, "BEFORE UPDATE OR DELETE", "audit_refuse_rewrite")
            for table in APPEND_ONLY
        ),
        *(
            trigger("never_emptied", table, "BEFORE TRUNCATE", "audit_refuse_truncate")
            for table in APPEND_ONLY
        ),
    )
