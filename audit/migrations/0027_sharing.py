"""Links to hands for people without an account. A link only ends, once."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

LINK_ENDS = """
CREATE FUNCTION audit_share_link_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.revoked_at IS NOT NULL OR NEW.revoked_at IS NULL
        OR to_jsonb(OLD) - '{revoked_at,revoked_by_id}'::text[]
            <> to_jsonb(NEW) - '{revoked_at,revoked_by_id}'::text[]
    THEN
        RAISE EXCEPTION 'a link is only ever taken back, once'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$
"""


def trigger(name: str, when: str, function: str, each: str = "ROW") -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER {name} {when} ON audit_sharelink"
        f" FOR EACH {each} EXECUTE FUNCTION {function}()",
        f"DROP TRIGGER {name} ON audit_sharelink",
    )


class Migration(migrations.Migration):
    dependencies = (
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("audit", "0027_accounts"),
    )

    operations = (
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("viewpoint", models.CharField(max_length=16)),
                ("reason", models.TextField()),
                ("prefix", models.CharField(max_length=16)),
                ("sha256", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(default=None, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="share_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="share_links",
                        to="audit.hand",
                    ),
                ),
                (
                    "revoked_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("sha256",), name="share_link_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("revoked_at", None), ("revoked_by", None)),
                            models.Q(("revoked_at__isnull", False), ("revoked_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="share_link_revoked_by_someone",
                    ),
                ],
            },
        ),
        migrations.RunSQL(LINK_ENDS, "DROP FUNCTION audit_share_link_ends()"),
        trigger("only_ends", "BEFORE UPDATE", "audit_share_link_ends"),
        trigger("never_deleted", "BEFORE DELETE", "audit_refuse_rewrite"),
        trigger("never_emptied", "BEFORE TRUNCATE", "audit_refuse_truncate", "STATEMENT"),
    )
