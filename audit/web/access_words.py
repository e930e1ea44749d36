"""Roles, acts, reviews and ways of signing in, as pages call them."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from audit.models import FirstPasswordHow, ReviewKind, Role, SignInOutcome, SignInWay
from audit.selectors.access import Act
from audit.selectors.second_persons import ActOfTwo

ROLES: dict[Role, Promise] = {
    Role.SUPPORT: _("Support"),
    Role.INVESTIGATOR: _("Investigator"),
    Role.AUDITOR: _("Auditor"),
    Role.RULES_AUTHOR: _("Rules author"),
    Role.RULES_APPROVER: _("Rules approver"),
    Role.ADMINISTRATOR: _("Administrator"),
}
ABOUT_ROLES: dict[Role, Promise] = {
    Role.SUPPORT: _("Looks up hands, enters claims, comments, writes letters, shares links."),
    Role.INVESTIGATOR: _("Decides cases, remedies and names; uploads, judges again, exports."),
    Role.AUDITOR: _("Reads everything, the desk and the journal too; decides nothing."),
    Role.RULES_AUTHOR: _("Writes rulesets and rehearses them."),
    Role.RULES_APPROVER: _("Approves rulesets that somebody else wrote."),
    Role.ADMINISTRATOR: _("Accounts, roles, keys, sources, retention; no hands by itself."),
}
ACTS: dict[Act, Promise] = {
    Act.OWN_ACCOUNT: _("Keep one's own account"),
    Act.SEE_HANDS: _("See hands"),
    Act.SEE_UPLOADS: _("See uploads"),
    Act.SEE_RAW: _("See raw lines"),
    Act.UPLOAD: _("Upload"),
    Act.SEE_SOURCES: _("See sources"),
    Act.SEE_RULES: _("See the rules"),
    Act.SEE_DESK: _("See the desk"),
    Act.CLAIM: _("Enter claims"),
    Act.COMMENT: _("Comment on cases"),
    Act.SEE_LETTERS: _("See letters"),
    Act.SHARE: _("Share links"),
    Act.WORK_CASES: _("Work on cases"),
    Act.PROPOSE_REMEDY: _("Propose remedies"),
    Act.APPROVE_REMEDY: _("Approve remedies"),
    Act.EXPORT_REMEDY: _("Export remedies"),
    Act.DECIDE_NAMES: _("Decide about names"),
    Act.SEE_REAUDITS: _("See re-audits"),
    Act.REAUDIT: _("Judge hands again"),
    Act.SEE_REPORTS: _("See reports"),
    Act.MAKE_REPORTS: _("Make reports"),
    Act.SEE_CERTIFICATES: _("See certificates"),
    Act.MAKE_CERTIFICATES: _("Make certificates"),
    Act.SEE_EVIDENCE: _("See the evidence"),
    Act.EXPORT: _("Export"),
    Act.SEE_JOURNAL: _("See the journal"),
    Act.REVIEW_ACCESS: _("Review accesses"),
    Act.SEE_RULESETS: _("See rulesets"),
    Act.WRITE_RULESETS: _("Write rulesets"),
    Act.REHEARSE_RULESETS: _("Rehearse rulesets"),
    Act.APPROVE_RULESETS: _("Approve rulesets"),
    Act.MANAGE_ACCOUNTS: _("Manage accounts"),
    Act.MANAGE_KEYS: _("Manage keys"),
    Act.MANAGE_WEBHOOKS: _("Manage webhooks"),
    Act.MANAGE_RETENTION: _("Manage retention"),
    Act.MANAGE_SOURCES: _("Manage sources"),
}
# How somebody came to have an account in hand.
FIRST_PASSWORDS: dict[str, Promise] = {
    FirstPasswordHow.OPENED: _("Opened by"),
    FirstPasswordHow.REOPENED: _("Opened again by"),
    FirstPasswordHow.RESET: _("Password reset by"),
}
KEEPINGS: dict[str, Promise] = {
    FirstPasswordHow.OPENED.value: _("opened it"),
    FirstPasswordHow.REOPENED.value: _("opened it again"),
    FirstPasswordHow.RESET.value: _("reset its password"),
    "key": _("made a key for it"),
}
ACTS_OF_TWO: dict[ActOfTwo, Promise] = {
    ActOfTwo.RULESET: _("Ruleset published"),
    ActOfTwo.SWITCH: _("Ruleset put in force"),
    ActOfTwo.REMEDY: _("Remedy approved"),
    ActOfTwo.RETENTION: _("Records deleted"),
}
REVIEWS: dict[ReviewKind, Promise] = {
    ReviewKind.ACCESS: _("Who may do what"),
    ReviewKind.JOURNAL: _("The journal"),
    ReviewKind.SIGN_INS: _("Attempts to sign in"),
}
WAYS: dict[str, Promise] = {
    SignInWay.PASSWORD: _("Password"),
    SignInWay.CODE: _("Code of an authenticator"),
    SignInWay.RECOVERY: _("Recovery code"),
    SignInWay.KEY: _("Key of the API"),
}
OUTCOMES: dict[str, Promise] = {
    SignInOutcome.GOOD: _("Let in"),
    SignInOutcome.HALF: _("Asked for the second step"),
    SignInOutcome.WRONG: _("Wrong"),
    SignInOutcome.LOCKED: _("Refused while paused"),
    SignInOutcome.CLOSED: _("The account is closed"),
}
ENDS: dict[str, Promise] = {
    "": _("Goes on"),
    "signed-out": _("Signed out"),
    "idle": _("Was idle for too long"),
    "age": _("Lasted too long"),
    "closed": _("The account was closed"),
    "password": _("The password was changed"),
    "left": _("Another sign-in in the same browser"),
}


def act_words(act: str) -> str:
    """The words for an act of the journal, also for one that there is no more."""
    known = {one.value: one for one in Act}
    return str(ACTS.get(known[act], act)) if act in known else act
