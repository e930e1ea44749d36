"""Reports: what was asked for, how far it is, and every version that was ever made.

A version is only ever added: its files are kept byte by byte under a signature, together with what
they were made of, so that the same figures can be made again or the reason why not be told.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class ReportKind(models.TextChoices):
    """Which report; what each says is defined in `selectors.reports`."""

    PERFORMANCE = "game-performance", _("Game performance")
    EVENTS = "significant-events", _("Significant events")
    DISCREPANCIES = "discrepancies", _("Discrepancies")
    COMPLETENESS = "completeness", _("Completeness")
    ACCESS = "access-review", _("Access review")
    STATEMENT = "player-statement", _("Player statement")


class ReportBasis(models.TextChoices):
    """How the days of a report were chosen."""

    DAY = "day", _("One day")
    DAYS = "days", _("From day to day")
    MONTH = "month-to-date", _("Month to date")
    YEAR = "year-to-date", _("Year to date")
    LIFE = "life-to-date", _("Life to date")


class ReportRunState(models.TextChoices):
    """How far a run is. `stopped` may be resumed; the last two are ends."""

    QUEUED = "queued", _("Queued")
    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


def report_kind() -> models.CharField[str, str]:
    return models.CharField(max_length=24, choices=ReportKind.choices)


def report_basis() -> models.CharField[str, str]:
    return models.CharField(max_length=16, choices=ReportBasis.choices)


def within_sources() -> ArrayField[list[str] | None, list[str] | None]:
    """The sources that a report is kept to, sorted; None for every source."""
    return ArrayField(models.CharField(max_length=128, db_collation="C"), null=True)


class Report(models.Model):
    """One made version. Its key is its number.

    `series` is the same for all versions of what was asked for (kind, days, parameters, sources),
    which are editions of each other, `previous` the one before: the number of the first, or in
    reports of before a digest of what was asked for. `parameters` is what it was
    narrowed by. `definition` is the version of what the report says; `engine`, `software` and
    `rulesets` (name to SHA-256) say what judged the hands. The rows that it was made of were those
    visible at one instant: `log_size` leaves with the root `log_root` were sealed then, and
    `waiting` rows announced and not yet sealed; `facts` sums up the hands among them.
    `body_sha256` is over the figures alone, without the moment and the number. `json`, `csv` and
    `pdf` are the files (None where no PDF could be made), `note` the signed text that names them.
    """

    kind = report_kind()
    basis = report_basis()
    first = models.DateField()
    last = models.DateField()
    parameters = models.JSONField()
    sources = within_sources()
    series = models.BinaryField()
    edition = models.IntegerField()
    previous = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="following"
    )
    title = models.TextField()
    definition = models.CharField(max_length=40)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField()
    engine = models.CharField(max_length=32)
    software = models.CharField(max_length=64)
    rulesets = models.JSONField()
    log_size = models.BigIntegerField()
    log_root = models.BinaryField()
    waiting = models.BigIntegerField()
    facts = models.BinaryField()
    is_empty = models.BooleanField()
    row_count = models.IntegerField()
    changes = models.JSONField()
    body_sha256 = models.BinaryField()
    json = models.BinaryField()
    csv = models.BinaryField()
    pdf = models.BinaryField(null=True)
    pdf_maker = models.CharField(max_length=40, blank=True)
    note = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="report_edition_once", fields=["series", "edition"]),
            models.CheckConstraint(
                name="report_kind_known", condition=Q(kind__in=ReportKind.values)
            ),
            models.CheckConstraint(
                name="report_basis_known", condition=Q(basis__in=ReportBasis.values)
            ),
            models.CheckConstraint(
                name="report_days_in_order", condition=Q(first__lte=models.F("last"))
            ),
            models.CheckConstraint(
                name="report_first_edition_alone",
                condition=Q(edition=1, previous=None) | Q(edition__gt=1, previous__isnull=False),
            ),
            models.CheckConstraint(
                name="report_pdf_with_its_maker",
                condition=Q(pdf=None, pdf_maker="") | (Q(pdf__isnull=False) & ~Q(pdf_maker="")),
            ),
        )
        indexes = (models.Index(fields=["kind", "-id"], name="report_by_kind"),)

    def __str__(self) -> str:
        return f"{self.pk} {self.title}"


class ReportRun(models.Model):
    """The making of one version: day by day, so that it may be stopped and go on.

    `asked_by` is None where the clock asked. `days_count` days are to be read, `read_count` have
    been; `at_day` is the last of them. `again` is the version that it is to be made again of.
    `report` is what came of it: a new version, or `again` where nothing has changed.
    """

    kind = report_kind()
    basis = report_basis()
    first = models.DateField()
    last = models.DateField()
    parameters = models.JSONField()
    sources = within_sources()
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    again = models.ForeignKey(Report, on_delete=models.PROTECT, null=True, related_name="+")
    report = models.ForeignKey(Report, on_delete=models.PROTECT, null=True, related_name="runs")
    state = models.CharField(
        max_length=10, choices=ReportRunState.choices, default=ReportRunState.QUEUED
    )
    error = models.TextField(blank=True, default="")
    days_count = models.IntegerField(default=0)
    read_count = models.IntegerField(default=0)
    at_day = models.DateField(null=True, default=None)
    created_at = models.DateTimeField(db_default=Now())
    # The last sign of life, for the sweep.
    touched_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="report_by_the_clock_once",
                fields=["kind", "basis", "last"],
                condition=Q(asked_by=None),
            ),
            models.CheckConstraint(
                name="report_run_state_known", condition=Q(state__in=ReportRunState.values)
            ),
            models.CheckConstraint(
                name="report_run_done_with_a_report",
                condition=Q(state=ReportRunState.DONE, report__isnull=False)
                | (~Q(state=ReportRunState.DONE) & Q(report=None)),
            ),
        )
        indexes = (
            models.Index(
                fields=["touched_at"],
                name="report_run_open",
                condition=Q(state__in=[ReportRunState.QUEUED, ReportRunState.RUNNING]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}: {self.state}"


class ReportPart(models.Model):
    """What one day gives to a run. `facts` sums up its hands: where they are others when the run
    ends, the day is read again. `content` is JSON. Parts go when their run has ended."""

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="parts")
    day = models.DateField()
    facts = models.BinaryField()
    content = models.BinaryField()

    class Meta:
        constraints = (models.UniqueConstraint(name="report_part_once", fields=["run", "day"]),)

    def __str__(self) -> str:
        return f"{self.run_id} {self.day}"
