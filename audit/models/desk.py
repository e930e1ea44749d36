"""The desk: causes, cases, what was done about them, and what players said.

A cause is what wrong hands have in common; a case gathers the hands of one cause, or answers a
claim. Money is in integer minor units (`numeric`, because an amount of FORMAT 1 may exceed 64
bits). Acts, claims and memberships are only ever added or ended; triggers see to it.
"""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from audit.models.comparisons import Comparison
from audit.models.hands import Hand, exact_name
from audit.models.verdicts import Verdict


def minor_units() -> models.DecimalField[int, int]:
    """An amount in whole minor units."""
    return models.DecimalField(max_digits=40, decimal_places=0)


def minor_units_if_known() -> models.DecimalField[int | None, int | None]:
    """The same; None where it is not known."""
    return models.DecimalField(max_digits=40, decimal_places=0, null=True)


class CaseState(models.TextChoices):
    """How a case stands. Only an open one can be decided."""

    OPEN = "open", pgettext_lazy("case", "Open")
    DECIDED = "decided", _("Decided")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class Decision(models.TextChoices):
    """What a case turned out to be."""

    OPERATOR = "operator", _("Operator error")
    PLAYER = "player", _("Player right")
    LOG = "log", _("Log fault")
    ENGINE = "engine", _("Engine fault")
    RULE = "rule", _("Rule unclear")


class ActKind(models.TextChoices):
    """What can be done with a case; the first four are done by the audit itself."""

    OPENED = "opened", _("opened the case")
    JOINED = "joined", _("joined hands")
    LEFT = "left", _("took hands out")
    LAPSED = "lapsed", _("released the case")
    TAKEN = "taken", _("took the case")
    RELEASED = "released", _("handed the case back")
    ASSIGNED = "assigned", _("assigned the case")
    COMMENTED = "commented", _("commented")
    DECIDED = "decided", _("decided")
    REOPENED = "reopened", _("reopened the case")
    WITHDRAWN = "withdrawn", _("withdrew the case")
    UNDONE = "undone", _("undid a bulk act")
    CLAIMED = "claimed", _("entered a claim")
    UNCLAIMED = "unclaimed", _("withdrew a claim")
    PROPOSED = "proposed", _("proposed remedies")
    APPROVED = "approved", _("approved remedies")
    REJECTED = "rejected", _("rejected remedies")
    EXPORTED = "exported", _("exported remedies")


AUDIT_ACTS = (ActKind.OPENED, ActKind.JOINED, ActKind.LEFT, ActKind.LAPSED)


class Cause(models.Model):
    """What makes findings one: `key` is SHA-256 over all other fields (services.desk.causes).

    `relation` is the algebra between logged and expected, `explained_by` the option changes under
    which the log is right; at most one of the two says something.
    """

    key = models.BinaryField(unique=True)
    source = exact_name()
    game = exact_name()
    ruleset = exact_name()
    code = models.CharField(max_length=40)
    rule = models.CharField(max_length=16, blank=True)
    relation = models.CharField(max_length=120, blank=True)
    explained_by = ArrayField(models.TextField())
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.source} {self.ruleset} {self.code} {self.relation}"


class Case(models.Model):
    """One case as it stands after its act number `act_count`.

    `cause` is None where only a claim opened it; `sequence` counts the cases of one cause, and
    `earlier` is the closed one before it. `taken_until` is the end of the lock of `assignee`, None
    where it was assigned for good. `revision` is the number of the newest act of a person: whoever
    changes the case says which one was seen. `hand_count` are the hands that stand in it now.
    """

    cause = models.ForeignKey(Cause, on_delete=models.PROTECT, null=True, related_name="cases")
    sequence = models.IntegerField(default=1)
    earlier = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="later")
    source = exact_name()
    state = models.CharField(max_length=10, choices=CaseState.choices, default=CaseState.OPEN)
    decision = models.CharField(max_length=10, choices=Decision.choices, blank=True, default="")
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    taken_until = models.DateTimeField(null=True)
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    act_count = models.IntegerField(default=0)
    revision = models.IntegerField(default=0)
    hand_count = models.IntegerField(default=0)
    first_played = models.DateTimeField(null=True)
    last_played = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="case_of_cause_once", fields=["cause", "sequence"]),
            models.CheckConstraint(
                name="case_state_known", condition=Q(state__in=CaseState.values)
            ),
            models.CheckConstraint(
                name="case_decided_with_a_decision",
                condition=Q(state=CaseState.DECIDED, decision__in=Decision.values)
                | (~Q(state=CaseState.DECIDED) & Q(decision="")),
            ),
            models.CheckConstraint(
                name="case_taken_by_somebody",
                condition=Q(taken_until__isnull=True) | Q(assignee__isnull=False),
            ),
        )
        indexes = (
            models.Index(fields=["state", "due_at"], name="case_by_due"),
            models.Index(fields=["assignee", "state"], name="case_by_assignee"),
        )

    def __str__(self) -> str:
        return f"C-{self.pk}"


class CaseMoney(models.Model):
    """Money at risk of a case in one currency: the sum over the hands that stand in it."""

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="money", db_index=False)
    currency = exact_name()
    minor_digits = models.SmallIntegerField()
    at_risk_minor = minor_units()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="case_money_once", fields=["case", "currency", "minor_digits"]
            ),
        )

    def __str__(self) -> str:
        return f"{self.case_id} {self.currency}"


class CaseHand(models.Model):
    """A hand stands in a case, from `joined_at` until `left_at`; None where it still does.

    It stands there with the verdict and the comparison that were current then. `at_risk_minor` is
    what went to the wrong players; where one side of the figures is unknown (`is_known` False),
    all that the known side moved.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="hands")
    hand = models.ForeignKey(
        Hand, on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    verdict = models.ForeignKey(
        Verdict, on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    comparison = models.ForeignKey(
        Comparison,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    played_at = models.DateTimeField()
    table = exact_name()
    currency = exact_name()
    minor_digits = models.SmallIntegerField()
    at_risk_minor = minor_units()
    is_known = models.BooleanField()
    joined_at = models.DateTimeField(db_default=Now())
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="case_hand_stands_once", fields=["hand"], condition=Q(left_at__isnull=True)
            ),
        )
        indexes = (
            # Each list of a case's hands has its order, over those alone that it lists.
            models.Index(
                F("case"),
                F("hand") * -1,
                name="case_hand_standing",
                condition=Q(left_at__isnull=True),
            ),
            models.Index(
                fields=["case", "-played_at", "-hand"],
                name="case_hand_by_time",
                condition=Q(left_at__isnull=True),
            ),
            models.Index(
                fields=["case", "-played_at", "-id"],
                name="case_hand_left",
                condition=Q(left_at__isnull=False),
            ),
            models.Index(fields=["hand"], name="case_hand_by_hand"),
        )

    def __str__(self) -> str:
        return f"{self.case_id} {self.hand_id}"


class CaseAmount(models.Model):
    """What a player of such a hand got by the log and gets by the rules; None where unknown."""

    member = models.ForeignKey(
        CaseHand, on_delete=models.PROTECT, related_name="amounts", db_index=False
    )
    player = exact_name()
    seat = models.SmallIntegerField(null=True)
    logged_minor = minor_units_if_known()
    recomputed_minor = minor_units_if_known()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="case_amount_once", fields=["member", "player", "seat"], nulls_distinct=False
            ),
        )
        indexes = (models.Index(fields=["player"], name="case_amount_by_player"),)

    def __str__(self) -> str:
        return f"{self.member_id} {self.player}"


class Docket(models.Model):
    """What was last looked at of a hand that ever had a finding, and where it stands by that.

    A hand whose current verdict or comparison differs from these is looked at again; so is one in
    conflict whose `contending_verdicts` do.
    """

    hand = models.OneToOneField(
        Hand, on_delete=models.PROTECT, primary_key=True, related_name="+", db_constraint=False
    )
    verdict = models.ForeignKey(
        Verdict, on_delete=models.PROTECT, related_name="+", db_constraint=False, db_index=False
    )
    comparison = models.ForeignKey(
        Comparison,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    contending_verdicts = ArrayField(models.BigIntegerField(), null=True, default=None)
    member = models.ForeignKey(CaseHand, on_delete=models.PROTECT, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.hand_id}"


class GatherMark(models.Model):
    """How far a walk over the rows of a table has come; the row is its lock.

    Rows up to `done_through` have been looked at. Rows up to `seen_through` are complete once every
    transaction with a number below `seen_xid` has ended: ids are drawn before they are committed.
    """

    stream = models.CharField(max_length=20, primary_key=True)
    done_through = models.BigIntegerField(default=0)
    seen_through = models.BigIntegerField(default=0)
    seen_xid = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return self.stream


class BulkAct(models.Model):
    """One act on many cases at once; its undoing is a further one."""

    kind = models.CharField(max_length=12, choices=ActKind.choices)
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField()
    case_count = models.IntegerField()
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="undo")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.pk} {self.kind}"


class Claim(models.Model):
    """What a player said, as a person of the desk entered it. `claimed_at` is when it was said.

    `deadline_at` is the end of the time in which the oldest of its hands could be disputed. Its
    amount is as the player puts it, None where none was named.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="claims")
    source = exact_name()
    player = exact_name()
    claimed_at = models.DateTimeField()
    deadline_at = models.DateTimeField()
    text = models.TextField()
    amount_minor = minor_units_if_known()
    currency = models.CharField(max_length=128, db_collation="C", blank=True, default="")
    minor_digits = models.SmallIntegerField(default=0)
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    entered_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="claim_amount_with_a_currency",
                condition=Q(amount_minor__isnull=True) | ~Q(currency=""),
            ),
            models.CheckConstraint(
                name="claim_in_time", condition=Q(claimed_at__lte=models.F("deadline_at"))
            ),
        )
        indexes = (models.Index(fields=["player"], name="claim_by_player"),)

    def __str__(self) -> str:
        return f"K-{self.pk}"


class ClaimHand(models.Model):
    """A hand that a claim is about."""

    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="hands")
    hand = models.ForeignKey(Hand, on_delete=models.PROTECT, related_name="+", db_constraint=False)

    class Meta:
        constraints = (models.UniqueConstraint(name="claim_hand_once", fields=["claim", "hand"]),)

    def __str__(self) -> str:
        return f"{self.claim_id} {self.hand_id}"


class CaseAct(models.Model):
    """One act on a case, with how the case stood after it (`state`, `decision`, `assignee`).

    `text` is a comment or a reason; `hand` and `step` are what it points to, `count` how many hands
    joined or left. `undoes` is the act that this one takes back. Only the audit itself acts without
    an account, and it never decides.
    """

    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="acts", db_index=False)
    number = models.IntegerField()
    kind = models.CharField(max_length=12, choices=ActKind.choices)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    created_at = models.DateTimeField(db_default=Now())
    text = models.TextField(blank=True, default="")
    state = models.CharField(max_length=10, choices=CaseState.choices)
    decision = models.CharField(max_length=10, choices=Decision.choices, blank=True)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    taken_until = models.DateTimeField(null=True)
    count = models.IntegerField(default=0)
    hand = models.ForeignKey(
        Hand,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    step = models.IntegerField(null=True)
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, null=True, related_name="acts")
    remedy = models.ForeignKey("Remedy", on_delete=models.PROTECT, null=True, related_name="acts")
    bulk = models.ForeignKey(BulkAct, on_delete=models.PROTECT, null=True, related_name="acts")
    undoes = models.OneToOneField("self", on_delete=models.PROTECT, null=True, related_name="undo")

    class Meta:
        constraints = (
            models.UniqueConstraint(name="case_act_number_once", fields=["case", "number"]),
            models.CheckConstraint(
                name="case_act_by_somebody",
                condition=Q(actor__isnull=False) | Q(kind__in=AUDIT_ACTS),
            ),
            models.CheckConstraint(
                name="case_act_kind_known", condition=Q(kind__in=ActKind.values)
            ),
        )

    def __str__(self) -> str:
        return f"{self.case_id}.{self.number} {self.kind}"
