"""A re-audit judges stored hands again: under the rulesets known now, or under another revision as
a rehearsal, whose results stand beside the log's verdicts and never become current.

What it judges is frozen into batches when it starts, so that hands which arrive meanwhile are
neither doubled nor half included.
"""

from __future__ import annotations

from decimal import Decimal

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.hands import Hand, HandVersion, exact_name
from audit.models.refusals import Refusal
from audit.models.uploads import ChunkState
from audit.models.verdicts import Verdict


class ReauditState(models.TextChoices):
    """How far a re-audit is. `stopped` may be resumed; the last two are ends.

    `partly`: something was set aside, with its error.
    """

    GATHERING = "gathering", _("Gathering")
    RUNNING = "running", _("Running")
    STOPPED = "stopped", _("Stopped")
    DONE = "done", _("Done")
    PARTLY = "partly", _("Partly done")


class RefusedLines(models.TextChoices):
    """Which refused lines are judged again, too. `waiting`: those that made the audit fail, and
    those whose ruleset was unknown."""

    NONE = "none", _("No refused lines")
    WAITING = "waiting", _("Lines that wait for a ruleset or a corrected engine")
    ALL = "all", _("All refused lines whose bytes were kept")


class Reaudit(models.Model):
    """One re-audit. A rehearsal has a `ruleset`, the revision under which it judges.

    `filter` is the query of the hands list as data, `filter_text` the same in words; `named` keeps
    to hands that name this ruleset, "" to none. `rulesets` are those known at the start, name to
    SHA-256: a worker that does not know them all takes no part. `newest_max` keeps to so many of
    the hands that were played last, of which `hand_from` at `played_from` is the first. Hands up to
    `hand_max` and refused lines up to `refusal_max` are gathered, as far as `hand_last` and
    `refusal_last`.
    `total_count` versions and lines are to be judged, `done_count` have been:
    written + confirmed + rehearsed + admitted + refused + aside = done. `written`: a verdict was
    added; `confirmed`: the same verdict stood there already; `admitted`: a refused line became a
    hand; `refused`: it is refused still. Of the current versions `changed_count` got another
    judgement, `flipped_count` of them another kind or primary finding; `unsettled_count` have a
    settlement on one side only. `limited_to` are the sources in which all of it lies, None where it
    may lie anywhere.
    """

    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    limited_to = ArrayField(models.TextField(), null=True, default=None)
    reason = models.TextField()
    filter = models.JSONField()
    filter_text = models.TextField()
    named = exact_name()
    ruleset = exact_name()
    ruleset_sha256 = models.BinaryField(null=True, default=None)
    rulesets = models.JSONField()
    refused_lines = models.CharField(
        max_length=10, choices=RefusedLines.choices, default=RefusedLines.NONE
    )
    engine = models.CharField(max_length=32)
    state = models.CharField(
        max_length=10, choices=ReauditState.choices, default=ReauditState.GATHERING
    )
    error = models.TextField(blank=True, default="")
    newest_max = models.BigIntegerField(null=True, default=None)
    played_from = models.DateTimeField(null=True, default=None)
    hand_from = models.BigIntegerField(null=True, default=None)
    hand_max = models.BigIntegerField()
    hand_last = models.BigIntegerField(default=0)
    refusal_max = models.BigIntegerField(default=0)
    refusal_last = models.BigIntegerField(default=0)
    is_gathered = models.BooleanField(default=False)
    total_count = models.BigIntegerField(default=0)
    done_count = models.BigIntegerField(default=0)
    written_count = models.BigIntegerField(default=0)
    confirmed_count = models.BigIntegerField(default=0)
    rehearsed_count = models.BigIntegerField(default=0)
    admitted_count = models.BigIntegerField(default=0)
    refused_count = models.BigIntegerField(default=0)
    aside_count = models.BigIntegerField(default=0)
    changed_count = models.BigIntegerField(default=0)
    flipped_count = models.BigIntegerField(default=0)
    unsettled_count = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    # The last sign of life; since when it judges, None while it does not; seconds of it before.
    worked_at = models.DateTimeField(db_default=Now())
    running_since = models.DateTimeField(null=True, default=None)
    seconds_before = models.FloatField(default=0)
    finished_at = models.DateTimeField(null=True, default=None)

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="reaudit_state_known", condition=models.Q(state__in=ReauditState.values)
            ),
            models.CheckConstraint(
                name="reaudit_rehearsal_is_exact",
                condition=models.Q(ruleset="", ruleset_sha256__isnull=True)
                | (~models.Q(ruleset="") & models.Q(ruleset_sha256__isnull=False)),
            ),
            models.CheckConstraint(
                name="reaudit_counts_add_up",
                condition=models.Q(
                    done_count=models.F("written_count")
                    + models.F("confirmed_count")
                    + models.F("rehearsed_count")
                    + models.F("admitted_count")
                    + models.F("refused_count")
                    + models.F("aside_count"),
                    done_count__lte=models.F("total_count"),
                ),
            ),
            models.CheckConstraint(
                name="reaudit_end_is_dated",
                condition=models.Q(
                    state__in=[ReauditState.DONE, ReauditState.PARTLY], finished_at__isnull=False
                )
                | models.Q(
                    state__in=[ReauditState.GATHERING, ReauditState.RUNNING, ReauditState.STOPPED],
                    finished_at__isnull=True,
                ),
            ),
        )

    def __str__(self) -> str:
        return f"{self.pk} {self.ruleset or 'as named'}"


class ReauditBatch(models.Model):
    """Some rows of a re-audit, the unit of work: hand versions, or refused lines of one upload.

    `attempts`, `due_at` and `lease_until` are as those of a chunk. One that keeps failing is cut in
    two, until the row that fails stands alone.
    """

    reaudit = models.ForeignKey(Reaudit, on_delete=models.PROTECT, related_name="batches")
    upload = models.ForeignKey(
        "Upload", on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    rows = ArrayField(models.BigIntegerField())
    state = models.CharField(max_length=10, choices=ChunkState.choices, default=ChunkState.QUEUED)
    attempts = models.IntegerField(default=0)
    due_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, default=None)
    error = models.TextField(blank=True, default="")

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="reaudit_batch_state_known", condition=models.Q(state__in=ChunkState.values)
            ),
            models.CheckConstraint(
                name="reaudit_batch_lease_while_running",
                condition=models.Q(state=ChunkState.RUNNING, lease_until__isnull=False)
                | (~models.Q(state=ChunkState.RUNNING) & models.Q(lease_until__isnull=True)),
            ),
        )
        indexes = (
            models.Index(
                fields=["reaudit", "id"],
                name="reaudit_batch_open",
                condition=models.Q(state__in=[ChunkState.QUEUED, ChunkState.RUNNING]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.reaudit_id}/{self.pk}"


class ReauditResult(models.Model):
    """What a re-audit says of a hand version, beside what was said `before`.

    A rehearsal has a row for each version that it judged, with its `settlement`; any other re-audit
    for each whose judgement is another, and `after` names the verdict. `code` is the primary
    finding. `is_current`: the version was the hand's current one.
    """

    reaudit = models.ForeignKey(
        Reaudit, on_delete=models.PROTECT, related_name="results", db_index=False
    )
    hand = models.ForeignKey(
        Hand, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False
    )
    version = models.ForeignKey(
        HandVersion,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    before = models.ForeignKey(
        Verdict, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    after = models.ForeignKey(
        Verdict,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    is_current = models.BooleanField()
    is_flipped = models.BooleanField()
    is_changed = models.BooleanField()
    kind_before = models.CharField(max_length=10)
    code_before = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=10)
    code = models.CharField(max_length=40, blank=True)
    finding_count = models.IntegerField()
    settlement = models.JSONField(null=True)
    digest = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="reaudit_result_once", fields=["reaudit", "version"]),
        )
        indexes = (
            models.Index(
                fields=["reaudit", "kind_before", "code_before", "kind", "code", "id"],
                name="reaudit_result_changed",
                condition=models.Q(is_changed=True),
            ),
            models.Index(
                fields=["reaudit", "id"],
                name="reaudit_result_in_order",
                condition=models.Q(is_changed=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.reaudit_id} {self.version_id}: {self.kind_before} → {self.kind}"


def _units() -> models.DecimalField[Decimal | None, Decimal | None]:
    """Whole minor units; sums of amounts may leave 64 bits."""
    return models.DecimalField(max_digits=60, decimal_places=0, null=True)


class ReauditAmount(models.Model):
    """Recomputed amounts before and after of one batch, in minor units of one currency.

    Of the hands whose settlement is another and stands on both sides. A `player` has a row for each
    table; without one (None) the row is of the whole table. `rake` is None where the game has none.
    """

    reaudit = models.ForeignKey(
        Reaudit, on_delete=models.PROTECT, related_name="amounts", db_index=False
    )
    batch = models.ForeignKey(
        ReauditBatch, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    source = exact_name()
    table = exact_name()
    player = models.CharField(max_length=128, db_collation="C", null=True)  # noqa: DJ001
    currency = exact_name()
    minor_digits = models.SmallIntegerField()
    hand_count = models.BigIntegerField()
    net_before = _units()
    net_after = _units()
    rake_before = _units()
    rake_after = _units()
    valid_bet_before = _units()
    valid_bet_after = _units()

    class Meta:
        indexes = (models.Index(fields=["reaudit", "currency"], name="reaudit_amount_of"),)

    def __str__(self) -> str:
        return f"{self.reaudit_id} {self.table} {self.player}"


class ReauditFault(models.Model):
    """A version or a refused line that a re-audit set aside, with the reason."""

    reaudit = models.ForeignKey(Reaudit, on_delete=models.PROTECT, related_name="faults")
    version = models.ForeignKey(
        HandVersion,
        on_delete=models.DO_NOTHING,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    refusal = models.ForeignKey(
        Refusal, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    reason = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(name="reaudit_fault_once", fields=["reaudit", "version"]),
            models.UniqueConstraint(name="reaudit_line_once", fields=["reaudit", "refusal"]),
        )

    def __str__(self) -> str:
        return f"{self.reaudit_id}: {self.reason}"


class Admission(models.Model):
    """A refused line that a re-audit made a hand: the refusal stays and is replaced by a version.

    Its upload goes on counting the line as it was judged first.
    """

    refusal = models.OneToOneField(Refusal, on_delete=models.PROTECT, related_name="admission")
    version = models.ForeignKey(
        HandVersion, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False
    )
    reaudit = models.ForeignKey(Reaudit, on_delete=models.PROTECT, related_name="admissions")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.refusal_id} is {self.version_id}"
