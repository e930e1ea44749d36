"""The log under the store: every row of an evidence table becomes a leaf of a Merkle tree.

A statement that adds rows announces them (`SealPending`) in its own transaction, by a trigger. The
sealer turns what was announced into leaves, in the order in which it became visible, and signs a
head over all of them. Leaves, nodes and heads are only ever added.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class LeafKind(models.IntegerChoices):
    """Which table a leaf is about; the numbers stand in the triggers, too."""

    VERSION = 1, "hand version"
    VERDICT = 2, "verdict"
    FINDING = 3, "finding"
    COMPARISON = 4, "comparison"
    COMPARISON_FINDING = 5, "finding of a comparison"
    RESTATEMENT = 6, "restatement"
    DUPLICATE = 7, "duplicate"
    REFUSAL = 8, "refusal"
    UPLOAD = 9, "upload"
    SOFTWARE = 10, "accepted software"
    SOFTWARE_CHECK = 11, "software check"
    CERTIFICATE = 12, "certificate"
    CASE_ACT = 13, "act at the desk"
    CLAIM = 14, "claim"
    CLAIM_HAND = 15, "hand of a claim"
    REMEDY_ENTRY = 16, "entry of a remedy"
    REMEDY_EXPORT = 17, "exported remedy"
    ADMISSION = 18, "refused line that became a hand"
    BULK_ACT = 19, "bulk act at the desk"
    NAME_DECISION = 20, "decision about names"
    DAY_RULE = 21, "day rule"
    REPORT = 30, "report"
    INCIDENT = 70, "incident"
    RETENTION_TERM = 31, "term of keeping"
    LEGAL_HOLD = 32, "legal hold"
    HOLD_END = 33, "end of a legal hold"
    RETENTION_RUN = 34, "retention run"
    RETENTION_BATCH = 35, "batch of a retention run"
    RETENTION_DELETION = 36, "deletion of a retention run"
    ERASURE = 37, "erasure of a person"
    ERASED_ROW = 38, "row that an erasure rewrote"
    JOURNAL = 50, "row of the journal"
    SIGN_IN = 51, "attempt to sign in"
    REVIEW = 52, "review"
    RULESET = 80, "ruleset"
    RULESET_PUBLICATION = 81, "publication of a ruleset"
    RULESET_SWITCH = 82, "word on the rules in force"


class SealPending(models.Model):
    """Rows of one kind that one statement added, at most 5,000, and that have no leaf yet."""

    kind = models.SmallIntegerField(choices=LeafKind.choices)
    rows = ArrayField(models.BigIntegerField())
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{LeafKind(self.kind).label}: {len(self.rows)}"


class SealedLeaf(models.Model):
    """A leaf: `index` counts from 0 without gaps, `hash` is over what `replay.evidence` makes of
    the row. `is_lost`: the row was gone when it was to be written down. `form` is the version of
    the lists of fields: 1 has names and hashes of them, 2 has commitments in their place."""

    index = models.BigIntegerField(primary_key=True)
    row = models.BigIntegerField()
    kind = models.SmallIntegerField(choices=LeafKind.choices)
    is_lost = models.BooleanField(default=False)
    form = models.SmallIntegerField(db_default=1)
    hash = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(name="leaf_once", fields=["kind", "row"]),)

    def __str__(self) -> str:
        return f"{self.index}: {LeafKind(self.kind).label} {self.row}"


class SealNode(models.Model):
    """The hash of a whole subtree of 2**level leaves, for each eighth level: what proofs need."""

    level = models.SmallIntegerField()
    number = models.BigIntegerField()
    hash = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(name="node_once", fields=["level", "number"]),)

    def __str__(self) -> str:
        return f"{self.level}/{self.number}"


class TreeHead(models.Model):
    """A signed statement of how many leaves there are and what they hash to.

    `note` is the signed text; the other fields repeat it for searching.
    """

    size = models.BigIntegerField(unique=True)
    root = models.BinaryField()
    note = models.TextField()
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"head {self.size}"


class AcceptedSoftware(models.Model):
    """The software that was declared to be the right one: by whom, why, and its manifest.

    `actor` is None for the installation itself, which accepts what it finds when nothing ever was.
    `items` gives the SHA-256 of each thing by its name; `sha256` is over all of them.
    """

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    reason = models.TextField()
    engine = models.CharField(max_length=32)
    items = models.JSONField()
    sha256 = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="software_accepted_for_a_reason", condition=~models.Q(reason="")
            ),
        )

    def __str__(self) -> str:
        return f"{self.engine} {bytes(self.sha256).hex()[:8]}"


class CheckOccasion(models.TextChoices):
    """When the software is looked at."""

    INSTALL = "install", _("At the installation")
    START = "start", _("At a start")
    DAILY = "daily", _("Daily")
    DEMAND = "demand", _("On demand")


class SoftwareCheck(models.Model):
    """One look at the software: what was expected and what was found.

    `process` is who looked ("web", "worker", "command") on which machine. `differences` gives for
    each thing that differs its expected and its found SHA-256, null where it was not there.
    """

    accepted = models.ForeignKey(AcceptedSoftware, on_delete=models.PROTECT, related_name="checks")
    occasion = models.CharField(max_length=10, choices=CheckOccasion.choices)
    process = models.CharField(max_length=128)
    engine = models.CharField(max_length=32)
    is_good = models.BooleanField()
    sha256 = models.BinaryField()
    differences = models.JSONField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="software_check_good_without_differences",
                condition=models.Q(is_good=True, differences={})
                | (models.Q(is_good=False) & ~models.Q(differences={})),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.occasion}: {'good' if self.is_good else 'differs'}"
