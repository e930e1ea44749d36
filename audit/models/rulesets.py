"""Rulesets that were handed in, and which revision was in force at a source at what time.

A revision goes from draft to published, and its bytes never change (FORMAT 5); a published one
never vanishes, for hands name it. What is in force is said by switches that are only ever added.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from audit.models.hands import exact_name
from audit.models.reaudits import Reaudit


class RulesetState(models.TextChoices):
    """How far a revision is. Hands are judged by what is published or retired.

    `retired`: no source may put it in force any more. `withdrawn`: a draft that was taken back;
    its name is free again.
    """

    DRAFT = "draft", _("Draft")
    PUBLISHED = "published", _("Published")
    RETIRED = "retired", _("Retired")
    WITHDRAWN = "withdrawn", _("Withdrawn")


KNOWN = (RulesetState.PUBLISHED, RulesetState.RETIRED)
CLOSED = (RulesetState.RETIRED, RulesetState.WITHDRAWN)


class RulesetRevision(models.Model):
    """One ruleset file that was handed in: `content` are its exact bytes, `name` is id@revision.

    `author` wrote it, for `reason`. `publication` counts those that were published, so that a
    process sees by the highest one whether it knows them all. `rehearsal` is the re-audit of these
    bytes that the approver relied on, `rehearsed_of` how many hands it could have had then (None
    for one that was published before that was counted). Without one, and with one of fewer hands
    than are wanted, `unrehearsed_reason` says why. `closed_…` say who retired or withdrew it.
    """

    ruleset_id = exact_name()
    revision = models.BigIntegerField()
    name = exact_name()
    game = exact_name()
    title = models.TextField()
    content = models.BinaryField()
    sha256 = models.BinaryField()
    state = models.CharField(
        max_length=10, choices=RulesetState.choices, default=RulesetState.DRAFT
    )
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    publication = models.BigIntegerField(null=True, default=None)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    published_at = models.DateTimeField(null=True, default=None)
    publish_reason = models.TextField(default="", blank=True)
    rehearsal = models.ForeignKey(
        Reaudit, on_delete=models.PROTECT, null=True, related_name="+", db_index=False
    )
    rehearsed_of = models.BigIntegerField(null=True, default=None)
    unrehearsed_reason = models.TextField(default="", blank=True)
    closed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    closed_at = models.DateTimeField(null=True, default=None)
    close_reason = models.TextField(default="", blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="ruleset_once", fields=["name"], condition=~Q(state=RulesetState.WITHDRAWN)
            ),
            models.UniqueConstraint(name="ruleset_publication_once", fields=["publication"]),
            models.CheckConstraint(
                name="ruleset_state_known", condition=Q(state__in=RulesetState.values)
            ),
            models.CheckConstraint(
                name="ruleset_second_person",
                condition=Q(published_by=None) | ~Q(published_by=models.F("author")),
            ),
            models.CheckConstraint(name="ruleset_has_a_reason", condition=~Q(reason="")),
            models.CheckConstraint(
                name="ruleset_publication_is_whole",
                condition=Q(
                    ~Q(publish_reason=""),
                    Q(rehearsal__isnull=False) | ~Q(unrehearsed_reason=""),
                    state__in=KNOWN,
                    publication__isnull=False,
                    published_by__isnull=False,
                    published_at__isnull=False,
                )
                | Q(
                    state__in=[RulesetState.DRAFT, RulesetState.WITHDRAWN],
                    publication=None,
                    published_by=None,
                    published_at=None,
                    publish_reason="",
                    rehearsal=None,
                    unrehearsed_reason="",
                ),
            ),
            models.CheckConstraint(
                name="ruleset_close_is_whole",
                condition=Q(
                    ~Q(close_reason=""),
                    state__in=CLOSED,
                    closed_by__isnull=False,
                    closed_at__isnull=False,
                )
                | Q(
                    state__in=[RulesetState.DRAFT, RulesetState.PUBLISHED],
                    closed_by=None,
                    closed_at=None,
                    close_reason="",
                ),
            ),
        )
        indexes = (models.Index(fields=["ruleset_id", "revision"], name="ruleset_by_id"),)

    def __str__(self) -> str:
        return self.name


class SwitchKind(models.TextChoices):
    """What a switch says of a ruleset id at a source from its time on.

    `cancel` takes an earlier switch back, as if it had never been said.
    """

    START = "start", _("In force")
    END = "end", _("No longer in force")
    CANCEL = "cancel", _("Taken back")


class RulesetSwitch(models.Model):
    """From `effective_at` on this revision is in force at this source, in the place of any other
    revision of its id; or none of them is any more.

    Of two switches of one source, id and time the later one holds. `sha256` are the bytes that
    were meant, None but for a start.
    """

    source = exact_name()
    game = exact_name()
    ruleset_id = exact_name()
    kind = models.CharField(max_length=6, choices=SwitchKind.choices)
    ruleset = exact_name()
    sha256 = models.BinaryField(null=True, default=None)
    effective_at = models.DateTimeField()
    cancels = models.OneToOneField(
        "self", on_delete=models.PROTECT, null=True, related_name="cancelled_by"
    )
    declared_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    declared_at = models.DateTimeField(db_default=Now())
    reason = models.TextField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="ruleset_switch_is_whole",
                condition=Q(
                    ~Q(ruleset=""), kind=SwitchKind.START, sha256__isnull=False, cancels=None
                )
                | Q(kind=SwitchKind.END, ruleset="", sha256=None, cancels=None)
                | Q(kind=SwitchKind.CANCEL, ruleset="", sha256=None, cancels__isnull=False),
            ),
            models.CheckConstraint(name="ruleset_switch_has_a_reason", condition=~Q(reason="")),
        )
        indexes = (
            models.Index(fields=["source", "game", "effective_at"], name="ruleset_switch_of"),
        )

    def __str__(self) -> str:
        return f"{self.source}: {self.ruleset or self.ruleset_id} {self.kind}"
