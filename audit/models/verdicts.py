"""A verdict is what one engine said of one hand version under one ruleset. It is never changed."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class VerdictKind(models.TextChoices):
    """What a judged hand can be; a line that is no hand is a refusal instead.

    `consistent`: nothing was found, but the record lacks facts and not everything could be checked.
    """

    CLEAN = "clean", _("Clean")
    CONSISTENT = "consistent", _("Consistent")
    DISCREPANT = "discrepant", _("Discrepant")
    VOID = "void", _("Void")


class HandKind(models.TextChoices):
    """What a hand is counted as: the kind of its verdict, or that its records contradict each
    other, for then none of their verdicts is the hand's.
    """

    CLEAN = "clean", _("Clean")
    CONSISTENT = "consistent", _("Consistent")
    DISCREPANT = "discrepant", _("Discrepant")
    VOID = "void", _("Void")
    CONFLICT = "conflict", _("In conflict")


class Verdict(models.Model):
    """One judgement. `settlement` is shaped by FORMAT 6.4, 32; None where the replay stopped.

    The key carries the month of its version's.
    """

    version = models.ForeignKey(
        "HandVersion",
        on_delete=models.PROTECT,
        related_name="verdicts",
        db_index=False,
        db_constraint=False,
    )
    ruleset = models.CharField(max_length=128, db_collation="C")
    ruleset_sha256 = models.BinaryField()
    engine = models.CharField(max_length=32)
    kind = models.CharField(max_length=10, choices=VerdictKind.choices)
    settlement = models.JSONField(null=True)
    digest = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="verdict_once", fields=["version", "ruleset_sha256", "engine"]
            ),
            models.CheckConstraint(
                name="verdict_kind_known", condition=models.Q(kind__in=VerdictKind.values)
            ),
        )

    def __str__(self) -> str:
        return f"{self.version_id} {self.kind}"


class Severity(models.TextChoices):
    """Whether a finding makes its hand discrepant."""

    ERROR = "error", _("Error")
    WARNING = "warning", _("Warning")


class FindingFields(models.Model):
    """One disagreement in the fields of FORMAT 3; `position` counts from 0."""

    position = models.IntegerField()
    code = models.CharField(max_length=40)
    severity = models.CharField(max_length=10, choices=Severity.choices)
    event = models.IntegerField(null=True)
    seat = models.SmallIntegerField(null=True)
    subject = models.TextField(null=True)  # noqa: DJ001 - None and "" are two things in verdict/1
    logged = models.TextField(null=True)  # noqa: DJ001
    expected = models.TextField(null=True)  # noqa: DJ001
    rule = models.CharField(max_length=16, null=True)  # noqa: DJ001
    confidence = models.CharField(max_length=4, null=True)  # noqa: DJ001
    follows = models.BooleanField()
    explained_by = ArrayField(models.TextField())
    message = models.TextField()

    class Meta:
        abstract = True


class Finding(FindingFields):
    """One disagreement of a verdict."""

    verdict = models.ForeignKey(
        Verdict,
        on_delete=models.PROTECT,
        related_name="findings",
        db_index=False,
        db_constraint=False,
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(name="finding_once", fields=["verdict", "position"]),
            models.CheckConstraint(
                name="finding_severity_known", condition=models.Q(severity__in=Severity.values)
            ),
        )

    def __str__(self) -> str:
        return f"{self.verdict_id} {self.position} {self.code}"
