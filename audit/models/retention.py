"""How long records are kept, what stops their deletion, and what was deleted under which run.

Terms, holds, their ends, batches and what they deleted are only ever added, and are leaves of the
log. The database refuses to delete a record of evidence unless the deletion names a batch whose
date has come; `audit_retention_batch_due` checks each batch when it is added.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.access import source_or_every
from audit.models.desk import Case
from audit.models.evidence import LeafKind
from audit.models.hands import Hand, exact_name


class RecordClass(models.TextChoices):
    """What has a term of its own.

    `hands`: hands with all that was said of them, and refused lines. `cases`: cases with their
    acts, claims, letters and remedies. `journal`: who looked at what. `attachments`: files that
    were put to a case.
    """

    HANDS = "hands", _("Hands")
    CASES = "cases", _("Cases and letters")
    JOURNAL = "journal", _("Journal")
    ATTACHMENTS = "attachments", _("Attachments")


class TermUnit(models.TextChoices):
    """What a term counts."""

    DAY = "day", _("days")
    MONTH = "month", _("months")
    YEAR = "year", _("years")


class RetentionTerm(models.Model):
    """How long records of a class are kept in a source; None for each source without its own.

    The newest one of a source and class is in force. Where none was ever set, attachments are kept
    for 90 days and everything else for ten years.
    """

    source = source_or_every()
    record_class = models.CharField(max_length=12, choices=RecordClass.choices)
    count = models.IntegerField()
    unit = models.CharField(max_length=5, choices=TermUnit.choices)
    reason = models.TextField()
    set_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    set_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="retention_term_class_known", condition=Q(record_class__in=RecordClass.values)
            ),
            models.CheckConstraint(
                name="retention_term_is_a_time",
                condition=Q(unit__in=TermUnit.values, count__gte=1, count__lte=36_500),
            ),
            models.CheckConstraint(name="retention_term_has_reason", condition=~Q(reason="")),
        )
        indexes = (
            models.Index(fields=["record_class", "source", "-id"], name="retention_term_newest"),
        )

    def __str__(self) -> str:
        return f"{self.source or 'every source'} {self.record_class}: {self.count} {self.unit}"


class LegalHold(models.Model):
    """Somebody said that a hand, a case, or all of a source (neither is named) must be kept."""

    source = exact_name()
    hand = models.ForeignKey(
        Hand, on_delete=models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    case = models.ForeignKey(
        Case, on_delete=models.DO_NOTHING, null=True, related_name="+", db_constraint=False
    )
    reason = models.TextField()
    placed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    placed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="legal_hold_on_one_thing", condition=Q(hand=None) | Q(case=None)
            ),
            models.CheckConstraint(name="legal_hold_has_reason", condition=~Q(reason="")),
        )
        indexes = (models.Index(fields=["source"], name="legal_hold_by_source"),)

    def __str__(self) -> str:
        return f"L-{self.pk}"


class HoldEnd(models.Model):
    """A hold was lifted: by whom, when and why."""

    hold = models.OneToOneField(LegalHold, on_delete=models.PROTECT, related_name="end")
    reason = models.TextField()
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    lifted_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (models.CheckConstraint(name="hold_end_has_reason", condition=~Q(reason="")),)

    def __str__(self) -> str:
        return f"{self.hold_id}"


class RetentionState(models.TextChoices):
    """How far a run is. `stopped` may be gone on with; `done` is the end."""

    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    DONE = "done", _("Done")


class RetentionRun(models.Model):
    """One deletion of what was received before `cutoff_at`, batch by batch.

    `source` is None for what belongs to no source: refused lines, and acts of the journal about
    none. `term` was in force when it began, None for the one from the beginning. When it is done
    `counts` says how many rows went by table, `leaf_count` and `root` how many leaves of the log
    they had and the root over those leaves in the order of the log; `certificate` says it all as
    JSON, `sha256` is of that.
    """

    record_class = models.CharField(max_length=12, choices=RecordClass.choices)
    source = source_or_every()
    term = models.ForeignKey(RetentionTerm, on_delete=models.PROTECT, null=True, related_name="+")
    cutoff_at = models.DateTimeField()
    reason = models.TextField()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    state = models.CharField(
        max_length=8, choices=RetentionState.choices, default=RetentionState.RUNNING
    )
    started_at = models.DateTimeField(db_default=Now())
    touched_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, default=None)
    item_count = models.BigIntegerField(default=0)
    counts = models.JSONField(default=dict)
    leaf_count = models.BigIntegerField(default=0)
    root = models.BinaryField(null=True, default=None)
    certificate = models.TextField(blank=True, default="")
    sha256 = models.BinaryField(null=True, default=None)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="retention_run_state_known", condition=Q(state__in=RetentionState.values)
            ),
            models.CheckConstraint(
                name="retention_run_done_with_a_certificate",
                condition=Q(
                    state=RetentionState.DONE,
                    finished_at__isnull=False,
                    root__isnull=False,
                    sha256__isnull=False,
                )
                | ~Q(state=RetentionState.DONE) & Q(finished_at=None, root=None, sha256=None),
            ),
            models.CheckConstraint(name="retention_run_has_reason", condition=~Q(reason="")),
        )

    def __str__(self) -> str:
        return f"retention run {self.pk}"


class RetentionBatch(models.Model):
    """The keys of the hands, cases, refused lines or acts that went in one transaction."""

    run = models.ForeignKey(RetentionRun, on_delete=models.PROTECT, related_name="batches")
    items = ArrayField(models.BigIntegerField())
    deleted_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.run_id}: {len(self.items)}"


class RetentionDeletion(models.Model):
    """The rows of one kind of leaf that a batch deleted: their leaves stay, they are gone."""

    batch = models.ForeignKey(RetentionBatch, on_delete=models.PROTECT, related_name="deletions")
    kind = models.SmallIntegerField(choices=LeafKind.choices)
    rows = ArrayField(models.BigIntegerField())

    def __str__(self) -> str:
        return f"{self.batch_id}: {len(self.rows)} {LeafKind(self.kind).label}"


class DepartedVerdict(models.Model):
    """What a leaf that stays says of a verdict that was deleted.

    A comparison names the verdict of the hand before by its source, hand and version, and by its
    ruleset and engine, or in leaves of form 1 by its digest.
    """

    verdict = models.BigIntegerField(primary_key=True)
    source = exact_name()
    hand_id = exact_name()
    number = models.IntegerField()
    ruleset_sha256 = models.BinaryField()
    engine = models.CharField(max_length=32)
    digest = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.source} {self.hand_id} {self.number}"
