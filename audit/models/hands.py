"""A hand is known by its source and id; its versions are the different records that claimed to be
it.

What hands, versions, verdicts and findings name of each other the database does not check row by
row: they are stored together in one transaction, and triggers refuse to take any of them away.
`manage.py doctor` looks whether each is there.

Names are compared exactly, code point by code point: their columns have the collation C.
"""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models.functions import Now

from audit.models.comparisons import Comparison
from audit.models.uploads import Upload
from audit.models.verdicts import Verdict, VerdictKind


def exact_name() -> models.CharField[str, str]:
    """A name as FORMAT 1 has it: up to 128 code points, compared exactly."""
    return models.CharField(max_length=128, db_collation="C")


class Identity(models.Model):
    """Which hand an id of a source is: `key` is its key. The database adds it with the hand.

    A table of its own, because those of hands, versions, verdicts and findings are parted by the
    month of receipt, which each key carries, and an identity is one across all months (ADR 6).
    """

    pk = models.CompositePrimaryKey("source", "hand_id")
    source = exact_name()
    hand_id = exact_name()
    key = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.source} {self.hand_id}"


class Hand(models.Model):
    """One hand and what is searched of it; the search columns are those of its current version.

    `played_at` is the instant of `started_at` to the microsecond, `started_at` the text as logged,
    `played_on` the day in the offset of the log. An instant outside of the years 1 to 9999 in UTC
    (legal near their ends in some offsets) is moved to the nearest one inside, for sorting only.
    `comparison` is the current one with the hand before, None where none ever found anything; the
    kind and the findings here are those of `verdict` and `comparison` together. `error_code` is the
    primary finding, empty where there is none.
    `is_conflict`: a record of another meaning came under the same identity, and no restatement has
    said since which one holds. `contending` are then the versions that claim to be the hand, in the
    order of what they say, and `contending_verdicts` their current verdicts, in the same order;
    else both are None. `version` is the first of them, which no order of arrival changes, and what
    is told beside it is of all of them: `verdict_kind` the gravest of their verdicts, the findings
    of all, `players` everybody whom one of them names, by code points, and `error_code` empty.
    `is_replaced`: its record is read as another hand now, which stands for it (Replacement).
    """

    source = exact_name()
    hand_id = exact_name()
    version = models.ForeignKey(
        "HandVersion",
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    verdict = models.ForeignKey(
        Verdict, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    comparison = models.ForeignKey(
        Comparison,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    game = exact_name()
    ruleset = exact_name()
    table = exact_name()
    players = ArrayField(models.CharField(max_length=128))
    played_at = models.DateTimeField()
    played_on = models.DateField()
    started_at = models.TextField()
    currency = exact_name()
    minor_digits = models.SmallIntegerField()
    verdict_kind = models.CharField(max_length=10, choices=VerdictKind.choices)
    error_code = models.CharField(max_length=40, blank=True)
    finding_codes = ArrayField(models.CharField(max_length=40))
    finding_count = models.IntegerField()
    is_conflict = models.BooleanField(default=False)
    contending = ArrayField(models.BigIntegerField(), null=True, default=None)
    contending_verdicts = ArrayField(models.BigIntegerField(), null=True, default=None)
    is_replaced = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="hand_verdict_known", condition=models.Q(verdict_kind__in=VerdictKind.values)
            ),
        )
        indexes = (
            # The day of the log lies near, not at, the instants of that day in UTC: with it in the
            # index a list of days skips its neighbours without reading their hands.
            models.Index(fields=["-played_at", "-id", "played_on"], name="hand_by_time"),
            models.Index(fields=["game", "-played_at", "-id"], name="hand_by_game"),
            models.Index(fields=["table", "-played_at", "-id"], name="hand_by_table"),
            models.Index(fields=["source", "table", "played_at"], name="hand_by_place"),
            models.Index(
                fields=["verdict_kind", "-played_at", "-id"],
                name="hand_not_clean",
                condition=~models.Q(verdict_kind=VerdictKind.CLEAN),
            ),
            models.Index(fields=["hand_id"], name="hand_by_id"),
            models.Index(
                fields=["-played_at", "-id"],
                name="hand_in_conflict",
                condition=models.Q(is_conflict=True),
            ),
            GinIndex(fields=["players"], name="hand_by_player"),
            # Of all hands: a second condition for the sake of a partial index would make the
            # planner think a common finding ten times as rare.
            GinIndex(fields=["finding_codes"], name="hand_by_finding"),
        )

    def __str__(self) -> str:
        return f"{self.source} {self.hand_id}"


class HandVersion(models.Model):
    """The exact bytes of a hand, as a line of an upload brought them first.

    `raw` is zstd over the line without its line end; `sha256` is of the line. The key carries the
    month of its hand's key, whenever it came, so that a line brings one version at most is checked
    within each month.
    """

    hand = models.ForeignKey(
        Hand,
        on_delete=models.PROTECT,
        related_name="versions",
        db_index=False,
        db_constraint=False,
    )
    number = models.IntegerField()
    raw = models.BinaryField()
    sha256 = models.BinaryField()
    upload = models.ForeignKey(
        Upload, on_delete=models.PROTECT, related_name="+", db_index=False, db_constraint=False
    )
    line = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.UniqueConstraint(name="version_bytes_once", fields=["hand", "sha256"]),
            models.UniqueConstraint(name="version_number_once", fields=["hand", "number"]),
            models.UniqueConstraint(name="version_line_once", fields=["upload", "line"]),
            models.CheckConstraint(name="version_from_one", condition=models.Q(number__gte=1)),
        )

    def __str__(self) -> str:
        return f"{self.hand_id} version {self.number}"


class Duplicate(models.Model):
    """A line that brought what was known already: nothing is doubled, but the line is on record.

    `raw` and `sha256` as those of a version where the line says the same in other bytes (keys in
    another order, blanks), else None.
    """

    version = models.ForeignKey(
        HandVersion, on_delete=models.PROTECT, related_name="duplicates", db_constraint=False
    )
    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="+", db_index=False)
    line = models.BigIntegerField()
    raw = models.BinaryField(null=True, default=None)
    sha256 = models.BinaryField(null=True, default=None)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="duplicate_once", fields=["upload", "line"]),
            models.CheckConstraint(
                name="duplicate_bytes_whole",
                condition=models.Q(raw__isnull=True, sha256__isnull=True)
                | models.Q(raw__isnull=False, sha256__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.line}"


class Restatement(models.Model):
    """A line of an upload that was announced as a restatement said which version holds.

    `replaced` was the current version before the upload, the same one where it held already. Who
    announced it and why stands with the upload.
    """

    hand = models.ForeignKey(
        Hand,
        on_delete=models.PROTECT,
        related_name="restatements",
        db_index=False,
        db_constraint=False,
    )
    version = models.ForeignKey(
        HandVersion,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    replaced = models.ForeignKey(
        HandVersion,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    upload = models.ForeignKey(Upload, on_delete=models.PROTECT, related_name="+", db_index=False)
    line = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            # A file that says two things of one hand leaves it in conflict between them.
            models.UniqueConstraint(name="restatement_once", fields=["hand", "upload", "version"]),
        )

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.line}"
