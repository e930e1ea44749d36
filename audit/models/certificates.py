"""Whether a table's day is complete: how its day is reckoned, what was certified, and by which job.

A day rule and a certificate are only ever added; the newest rule of a place holds, and a
certificate that later facts contradict stays as it was made.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.hands import exact_name
from audit.models.uploads import Upload

MINUTES_A_DAY = 24 * 60


def place_name() -> models.CharField[str, str]:
    """A source or a table; empty where all are meant."""
    return models.CharField(max_length=128, db_collation="C", blank=True, default="")


class Numbering(models.TextChoices):
    """What the hand ids of a table say of their sequence."""

    DETECT = "detect", _("Look at the ids")
    NUMBERED = "numbered", _("Numbered one after the other")
    NONE = "none", _("No sequence in the ids")


class DayRule(models.Model):
    """How the gaming day of a table is reckoned; the newest row of a place holds.

    An empty `table` means every table of the source, an empty `source` every source. An empty
    `time_zone` means the offset logged with each hand, else it is a name of the IANA database.
    `starts_at` is in minutes after midnight.
    """

    source = place_name()
    table = place_name()
    time_zone = models.CharField(max_length=64, blank=True, default="")
    starts_at = models.SmallIntegerField(default=0)
    numbering = models.CharField(max_length=10, choices=Numbering.choices, default=Numbering.DETECT)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="day_starts_in_the_day",
                condition=models.Q(starts_at__gte=0, starts_at__lt=MINUTES_A_DAY),
            ),
            models.CheckConstraint(
                name="day_numbering_known", condition=models.Q(numbering__in=Numbering.values)
            ),
            models.CheckConstraint(
                name="day_table_of_a_source",
                condition=models.Q(table="") | ~models.Q(source=""),
            ),
        )
        indexes = (models.Index(fields=["source", "table", "-id"], name="day_rule_newest"),)

    def __str__(self) -> str:
        return f"{self.source} {self.table}: {self.time_zone} {self.starts_at}"


class RunState(models.TextChoices):
    """Whether a run waits, works, was stopped by a person, or has ended."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    DONE = "done", _("Done")


class CertificateRun(models.Model):
    """Certifying the tables of one day, one after the other in the order of their keys.

    `source` and `table` narrow it where they are not empty. `after_table` is the key of the last
    table that was looked at, so that a run goes on where it stood; `empty_count` of the looked at
    had no hand and no refused line that day, `same_count` had a certificate that still holds.
    """

    day = models.DateField()
    source = place_name()
    table = place_name()
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.QUEUED)
    after_table = models.BigIntegerField(default=0)
    table_count = models.IntegerField(default=0)
    looked_count = models.IntegerField(default=0)
    made_count = models.IntegerField(default=0)
    same_count = models.IntegerField(default=0)
    empty_count = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    # The last sign of life, for the sweep.
    touched_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="certificate_run_state_known",
                condition=models.Q(state__in=RunState.values),
            ),
            models.CheckConstraint(
                name="certificate_run_adds_up",
                condition=models.Q(
                    looked_count=models.F("made_count")
                    + models.F("same_count")
                    + models.F("empty_count")
                ),
            ),
        )
        indexes = (
            models.Index(
                fields=["touched_at"],
                name="certificate_run_open",
                condition=models.Q(state__in=[RunState.QUEUED, RunState.RUNNING]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.day}: {self.state}"


class Certificate(models.Model):
    """What was known of one table's day at one moment. Its key is its number.

    `content` is canonical JSON (keys in order, no blanks, UTF-8) and `sha256` is of exactly that;
    `facts` sums up the rows that it was made of, so that later ones can be noticed without making
    it anew. The counts are those of the content, for lists.
    """

    source = exact_name()
    table = exact_name()
    day = models.DateField()
    edition = models.IntegerField()
    run = models.ForeignKey(
        CertificateRun, on_delete=models.PROTECT, null=True, related_name="certificates"
    )
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(db_default=Now())
    engine = models.CharField(max_length=32)
    is_complete = models.BooleanField()
    hand_count = models.IntegerField()
    missing_count = models.BigIntegerField()
    refused_count = models.IntegerField()
    facts = models.BinaryField()
    content = models.TextField()
    sha256 = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="certificate_edition_once", fields=["source", "table", "day", "edition"]
            ),
            models.CheckConstraint(
                name="certificate_edition_from_one", condition=models.Q(edition__gte=1)
            ),
        )
        indexes = (models.Index(fields=["-day", "-id"], name="certificate_by_day"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.source} {self.table} {self.day}"


class SortedUpload(models.Model):
    """An upload whose refused lines were looked through for the table and day that they name.

    `unknown_count` of them, and of the lines that could not be audited, name none.
    """

    upload = models.OneToOneField(
        Upload, on_delete=models.CASCADE, primary_key=True, related_name="sorted"
    )
    known_count = models.IntegerField()
    unknown_count = models.BigIntegerField()
    sorted_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.upload_id}: {self.known_count} and {self.unknown_count}"


class SortedRefusal(models.Model):
    """A refused line that says whole and without doubt at which table it was played and when.

    The columns are as those of a hand; `hand_id` is empty where the line names none.
    """

    upload = models.ForeignKey(Upload, on_delete=models.CASCADE, related_name="+", db_index=False)
    line = models.BigIntegerField()
    source = exact_name()
    table = exact_name()
    hand_id = place_name()
    played_at = models.DateTimeField()
    played_on = models.DateField()
    started_at = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="sorted_refusal_once", fields=["upload", "line"]),
        )
        indexes = (
            models.Index(fields=["source", "table", "played_at"], name="sorted_refusal_by_place"),
        )

    def __str__(self) -> str:
        return f"{self.upload_id}:{self.line}"
