"""Names of players with what they look like, probable renames, and what a person decided of names:
decisions are only ever added."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (
        ("audit", "0020_reaudit_changes_in_order"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    )

    operations = (
        migrations.CreateModel(
            name="NamedUpload",
            fields=[
                (
                    "upload",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="named",
                        serialize=False,
                        to="audit.upload",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("name", models.CharField(db_collation="C", max_length=128)),
                ("skeleton", models.TextField(db_collation="C")),
                ("is_unusual", models.BooleanField()),
                (
                    "noted_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["skeleton", "source", "name"], name="player_by_look"),
                    models.Index(
                        condition=models.Q(("is_unusual", True)),
                        fields=["source", "name"],
                        name="player_unusual",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("source", "name"), name="player_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="NameDecision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("name", models.CharField(db_collation="C", max_length=128)),
                ("other", models.CharField(db_collation="C", max_length=128)),
                ("is_one", models.BooleanField()),
                ("reason", models.TextField()),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "made_by",
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
                        fields=["source", "name", "other", "-id"], name="name_decision_newest"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__lt", models.F("other"))),
                        name="name_decision_of_two",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True),
                        name="name_decision_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Rename",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("source", models.CharField(db_collation="C", max_length=128)),
                ("table", models.CharField(db_collation="C", max_length=128)),
                ("seat", models.SmallIntegerField()),
                ("old_name", models.CharField(db_collation="C", max_length=128)),
                ("new_name", models.CharField(db_collation="C", max_length=128)),
                (
                    "found_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "hand",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="audit.hand",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "old_name", "new_name"), name="rename_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(
            "CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_namedecision"
            " FOR EACH ROW EXECUTE FUNCTION audit_refuse_rewrite()",
            "DROP TRIGGER append_only ON audit_namedecision",
        ),
    )
