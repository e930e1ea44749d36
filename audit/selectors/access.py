"""Who may do what: the one table of roles and acts, and what an account may do by its grants.

The same table stands in docs/access.md; a test keeps the two equal.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from audit.models.access import Grant, Role


class Act(StrEnum):
    """What one may do."""

    OWN_ACCOUNT = "own-account"
    SEE_HANDS = "see-hands"
    SEE_UPLOADS = "see-uploads"
    SEE_RAW = "see-raw"
    UPLOAD = "upload"
    SEE_SOURCES = "see-sources"
    SEE_RULES = "see-rules"
    SEE_DESK = "see-desk"
    CLAIM = "claim"
    COMMENT = "comment"
    SEE_LETTERS = "see-letters"
    SHARE = "share"
    WORK_CASES = "work-cases"
    PROPOSE_REMEDY = "propose-remedy"
    APPROVE_REMEDY = "approve-remedy"
    EXPORT_REMEDY = "export-remedy"
    DECIDE_NAMES = "decide-names"
    SEE_REAUDITS = "see-reaudits"
    REAUDIT = "reaudit"
    SEE_REPORTS = "see-reports"
    MAKE_REPORTS = "make-reports"
    SEE_CERTIFICATES = "see-certificates"
    MAKE_CERTIFICATES = "make-certificates"
    SEE_EVIDENCE = "see-evidence"
    EXPORT = "export"
    SEE_JOURNAL = "see-journal"
    REVIEW_ACCESS = "review-access"
    SEE_RULESETS = "see-rulesets"
    WRITE_RULESETS = "write-rulesets"
    APPROVE_RULESETS = "approve-rulesets"
    REHEARSE_RULESETS = "rehearse-rulesets"
    MANAGE_ACCOUNTS = "manage-accounts"
    MANAGE_KEYS = "manage-keys"
    MANAGE_WEBHOOKS = "manage-webhooks"
    MANAGE_RETENTION = "manage-retention"
    MANAGE_SOURCES = "manage-sources"


# Which roles may do an act. What everybody who is signed in may do, has no role.
_S, _I, _A = Role.SUPPORT, Role.INVESTIGATOR, Role.AUDITOR
_W, _P, _M = Role.RULES_AUTHOR, Role.RULES_APPROVER, Role.ADMINISTRATOR
TABLE: dict[Act, frozenset[Role]] = {
    Act.OWN_ACCOUNT: frozenset(),
    Act.SEE_HANDS: frozenset({_S, _I, _A}),
    Act.SEE_UPLOADS: frozenset({_S, _I, _A, _M}),
    Act.SEE_RAW: frozenset({_S, _I, _A}),
    Act.UPLOAD: frozenset({_I, _M}),
    Act.SEE_SOURCES: frozenset({_S, _I, _A, _M}),
    Act.SEE_RULES: frozenset({_S, _I, _A, _W, _P, _M}),
    Act.SEE_DESK: frozenset({_S, _I, _A}),
    Act.CLAIM: frozenset({_S, _I}),
    Act.COMMENT: frozenset({_S, _I}),
    Act.SEE_LETTERS: frozenset({_S, _I, _A}),
    Act.SHARE: frozenset({_S, _I}),
    Act.WORK_CASES: frozenset({_I}),
    Act.PROPOSE_REMEDY: frozenset({_I}),
    Act.APPROVE_REMEDY: frozenset({_I}),
    Act.EXPORT_REMEDY: frozenset({_I}),
    Act.DECIDE_NAMES: frozenset({_I}),
    Act.SEE_REAUDITS: frozenset({_I, _A}),
    Act.REAUDIT: frozenset({_I}),
    Act.SEE_REPORTS: frozenset({_I, _A}),
    Act.MAKE_REPORTS: frozenset({_I, _A}),
    Act.SEE_CERTIFICATES: frozenset({_I, _A}),
    Act.MAKE_CERTIFICATES: frozenset({_I, _A}),
    Act.SEE_EVIDENCE: frozenset({_I, _A}),
    Act.EXPORT: frozenset({_I, _A}),
    Act.SEE_JOURNAL: frozenset({_A}),
    Act.REVIEW_ACCESS: frozenset({_A, _M}),
    Act.SEE_RULESETS: frozenset({_I, _A, _W, _P}),
    Act.WRITE_RULESETS: frozenset({_W}),
    Act.APPROVE_RULESETS: frozenset({_P}),
    Act.REHEARSE_RULESETS: frozenset({_W, _P}),
    Act.MANAGE_ACCOUNTS: frozenset({_M}),
    Act.MANAGE_KEYS: frozenset({_M}),
    Act.MANAGE_WEBHOOKS: frozenset({_M}),
    Act.MANAGE_RETENTION: frozenset({_M}),
    Act.MANAGE_SOURCES: frozenset({_M}),
}
# What concerns the service as a whole: a grant for one source does not reach so far. The log of
# evidence counts the rows of all sources, and each of its heads stands for all of them.
WHOLE_SERVICE = frozenset(
    {
        Act.SEE_EVIDENCE,
        Act.REVIEW_ACCESS,
        Act.MANAGE_ACCOUNTS,
        Act.MANAGE_KEYS,
    }
)

# None stands for every source, also those to come.
Sources = frozenset[str] | None
NOWHERE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What somebody may do, at the time at which it was asked for.

    `grants` pairs each role with a source, None for every source. `acts` and `within` narrow what
    the grants give, as the key of a program does; `acts` is None where nothing narrows. `address`,
    `visit_id` and `key_id` say from where; they are for the journal alone.
    """

    account_id: int | None
    name: str
    grants: frozenset[tuple[Role, str | None]] = frozenset()
    acts: frozenset[Act] | None = None
    within: Sources = None
    is_everything: bool = False
    address: str | None = field(default=None, compare=False)
    visit_id: int | None = field(default=None, compare=False)
    key_id: int | None = field(default=None, compare=False)

    @property
    def roles(self) -> frozenset[Role]:
        """The roles that the account holds anywhere."""
        return frozenset(role for role, _ in self.grants)

    def may(self, act: Act) -> bool:
        """Whether the act may be done at all: somewhere, or in the service as a whole."""
        if act == Act.OWN_ACCOUNT:
            return self.account_id is not None and (self.acts is None or act in self.acts)
        sources = self.sources(act)
        return sources is None if act in WHOLE_SERVICE else sources is None or bool(sources)

    def sources(self, act: Act) -> Sources:
        """In which sources it may be done; None for every source, empty for none."""
        if self.acts is not None and act not in self.acts:
            return NOWHERE
        if self.is_everything:
            return self.within
        roles = TABLE[act]
        granted = {source for role, source in self.grants if role in roles}
        if None in granted:
            return self.within
        named = frozenset(source for source in granted if source is not None)
        return named if self.within is None else named & self.within

    def may_in(self, act: Act, source: str) -> bool:
        """Whether the act may be done in this source."""
        sources = self.sources(act)
        return sources is None or source in sources


# For commands and tasks, which nobody of the outside can call.
EVERYTHING = Access(account_id=None, name="tilecourt", is_everything=True)


def access_of(user: Any) -> Access:
    """What an account may do now: one query. Nothing where nobody is signed in or it is closed."""
    if not user.is_authenticated or not user.is_active:
        return Access(account_id=None, name="")
    return accesses_of([user])[user.pk]


def accesses_of(users: Collection[Any]) -> dict[int, Access]:
    """What each of these accounts may do now, by its number: one query."""
    granted: dict[int, set[tuple[Role, str | None]]] = {user.pk: set() for user in users}
    rows = Grant.objects.filter(account_id__in=[*granted], ended_at=None)
    for account_id, role, source in rows.values_list("account_id", "role", "source"):
        granted[account_id].add((Role(role), source))
    return {
        user.pk: Access(
            account_id=user.pk,
            name=user.get_username(),
            grants=frozenset(granted[user.pk] if user.is_active else ()),
        )
        for user in users
    }
