"""Which pages are in the pictures, and why the others are not."""

from __future__ import annotations

from dataclasses import dataclass

DESKTOP, PHONE = "desktop", "phone"
LIGHT, DARK = "light", "dark"
# Width and height of the window, in CSS pixels.
DEVICES = {DESKTOP: (1440, 900), PHONE: (390, 844)}
MODES = (LIGHT, DARK)
ENGLISH, TRADITIONAL, SIMPLIFIED = "en-GB", "zh-TW", "zh-CN"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page by the name of its pictures; `{…}` in its address are keys of the stock.

    `is_public` is a page that a stranger sees, `status` the answer that it comes with, `language`
    what the browser asks for.
    """

    name: str
    title: str
    address: str
    is_public: bool = False
    status: int = 200
    language: str = ENGLISH


PAGES = (
    Page(name="log-in", title="Log-in", address="/login", is_public=True),
    Page(name="overview", title="Overview", address="/overview/"),
    Page(name="hands", title="Hands", address="/hands/"),
    Page(
        name="hand-tien-gow",
        title="A Tien Gow hand as the auditor, at its finding",
        address="/hands/{tien_gow}/",
    ),
    Page(
        name="hand-pai-gow",
        title="A banker Pai Gow hand as the auditor",
        address="/hands/{pai_gow}/",
    ),
    Page(
        name="hand-wenzhou",
        title="A Wenzhou Pai Gow hand as the auditor",
        address="/hands/{wenzhou}/",
    ),
    Page(name="hand-feed", title="A hand that a feed tells in part", address="/hands/{feed}/"),
    Page(
        name="hand-seat",
        title="The Tien Gow hand as seat 2 saw it",
        address="/hands/{tien_gow}/steps/20/?as=seat-2",
    ),
    Page(
        name="what-if",
        title="What if: the hand under another revision",
        address="/hands/{tien_gow}/what-if/?rules=tien-gow/helic@1",
    ),
    Page(name="hand-links", title="The links to a hand", address="/hands/{tien_gow}/links"),
    Page(name="links", title="All links", address="/links/"),
    Page(
        name="shared",
        title="What a link opens",
        address="/shared/{secret}/",
        is_public=True,
    ),
    Page(
        name="shared-step",
        title="A step of it",
        address="/shared/{secret}/steps/20/",
        is_public=True,
    ),
    Page(
        name="shared-closed",
        title="A link that was taken back",
        address="/shared/{closed_secret}/",
        is_public=True,
        status=404,
    ),
    Page(name="desk", title="Desk", address="/desk/"),
    Page(name="queue", title="Queue of cases", address="/desk/queue/"),
    Page(name="case", title="A case", address="/desk/cases/{case}/"),
    Page(name="case-file", title="The file of a case", address="/desk/cases/{case}/file/"),
    Page(name="case-history", title="What was done", address="/desk/cases/{case}/history/"),
    Page(name="claims", title="Claims", address="/desk/claims/"),
    Page(name="claim-new", title="Claim form", address="/desk/claims/new/"),
    Page(name="claim", title="A claim", address="/desk/claims/{claim}/"),
    Page(name="letter", title="Letter to a player", address="/desk/claims/{claim}/letter/"),
    Page(name="remedies", title="Remedies", address="/desk/remedies/"),
    Page(name="remedy", title="A remedy that waits", address="/desk/remedies/{remedy}/"),
    Page(name="bulk", title="An act on many cases", address="/desk/bulk/{bulk}/"),
    Page(name="uploads", title="Uploads", address="/uploads/"),
    Page(name="upload", title="An upload", address="/uploads/{upload}/"),
    Page(name="totals", title="Totals", address="/totals/"),
    Page(name="reports", title="Reports", address="/reports/"),
    Page(
        name="report-new",
        title="A new report of significant events",
        address="/reports/new?kind=significant-events",
    ),
    Page(name="report", title="A report of game performance", address="/reports/{report}/"),
    Page(name="report-editions", title="Its versions", address="/reports/{report}/versions/"),
    Page(name="report-run", title="The making of a report", address="/reports/runs/{report_run}/"),
    Page(name="certificates", title="Completeness", address="/certificates/"),
    Page(name="certificate", title="A certificate", address="/certificates/{certificate}/"),
    Page(name="certificate-run", title="A run", address="/certificates/runs/{run}/"),
    Page(name="day-rules", title="Gaming days", address="/certificates/days/"),
    Page(name="sources", title="Sources", address="/sources/"),
    Page(name="source", title="A source that is a feed", address="/sources/harbour-feed/"),
    Page(name="reaudits", title="Re-audits", address="/reaudits/"),
    Page(name="reaudit-new", title="A new re-audit", address="/reaudits/new"),
    Page(name="reaudit", title="The report of a re-audit", address="/reaudits/{reaudit}/"),
    Page(
        name="reaudit-changes",
        title="Hands judged otherwise",
        address="/reaudits/{reaudit}/hands/",
    ),
    Page(
        name="reaudit-change",
        title="A hand before and after",
        address="/reaudits/{reaudit}/hands/{version}/",
    ),
    Page(
        name="hand-reaudits",
        title="The re-audits of a hand",
        address="/hands/{rejudged}/reaudits",
    ),
    Page(name="evidence", title="Evidence", address="/evidence/"),
    Page(name="players", title="Players", address="/players/"),
    Page(name="rules", title="Rules", address="/rules/"),
    Page(name="rulesets", title="Rulesets", address="/rules/rulesets/"),
    Page(name="ruleset", title="A draft of a ruleset", address="/rules/rulesets/{draft}/"),
    Page(name="ruleset-new", title="Handing in a ruleset", address="/rules/rulesets/new"),
    Page(name="rulesets-in-force", title="Rules in force", address="/rules/rulesets/in-force"),
    Page(
        name="ruleset-rehearsal",
        title="The rehearsal of a draft",
        address="/rules/rulesets/{draft}/rehearsals/{rehearsal}/",
    ),
    Page(name="retention", title="Keeping, holds and erasures", address="/retention/"),
    Page(
        name="retention-run",
        title="A run over what is of age",
        address="/retention/runs/{retention_run}/",
    ),
    Page(name="webhooks", title="Webhooks", address="/webhooks/"),
    Page(name="webhook", title="A webhook", address="/webhooks/{webhook}/"),
    Page(name="own-account", title="One's own account", address="/account/"),
    Page(name="own-password", title="One's own password", address="/account/password"),
    Page(name="second-step", title="The second step", address="/account/second-step"),
    Page(name="accounts", title="Accounts", address="/accounts/"),
    Page(name="account", title="An account", address="/accounts/{account}/"),
    Page(name="account-new", title="A new account", address="/accounts/new"),
    Page(name="access-review", title="Who may do what", address="/accounts/review"),
    Page(name="keys", title="Keys of the API", address="/accounts/keys/"),
    Page(name="journal", title="Journal", address="/journal/"),
    Page(name="visits", title="Visits", address="/journal/visits/"),
    Page(name="visit", title="A visit", address="/journal/visits/{visit}/"),
    Page(name="sign-ins", title="Attempts to sign in", address="/journal/sign-ins/"),
    Page(name="log-reviews", title="Reviews of the logs", address="/journal/reviews/"),
    Page(name="api-docs", title="The API", address="/api/docs/"),
    *(
        Page(
            name=f"{name}-{tag}",
            title=f"{title}, {words}",
            address=address,
            language=language,
        )
        for tag, words, language in (
            ("zh-hant", "in traditional characters", TRADITIONAL),
            ("zh-hans", "in simplified characters", SIMPLIFIED),
        )
        for name, title, address in (
            ("overview", "Overview", "/overview/"),
            ("hand-tien-gow", "The Tien Gow hand", "/hands/{tien_gow}/"),
            ("case", "A case", "/desk/cases/{case}/"),
            ("letter", "Letter to a player", f"/desk/claims/{{claim}}/letter/?lang={tag}"),
        )
    ),
)

ACT = "it acts, and then leads to a page"
PART = "it is a part of a page that is in the pictures"
FILE = "it is a file"
LEADS = "it leads to a page at once"

# By the name in audit/web/urls.py.
WITHOUT_PICTURE = {
    "sign-in-code": "it asks who gave a name and a password, by a form as that of the log-in",
    "language": ACT,
    "link-revoke": ACT,
    "shared-steps": LEADS,
    "retention-term": ACT,
    "hold-place": ACT,
    "hold-lift": ACT,
    "webhook-act": ACT,
    "account-act": ACT,
    "out-everywhere": ACT,
    "key-revoke": ACT,
    "second-step-remove": ACT,
    "second-step-codes": "it shows the recovery codes once, in answer to a form that was sent",
    "second-step-picture": PART,
    "accounts-csv": FILE,
    "retention-certificate": FILE,
    "home": LEADS,
    "steps": LEADS,
    "hand-case": LEADS,
    "logout": ACT,
    "filter-save": ACT,
    "filter-delete": ACT,
    "reaudit-stop": ACT,
    "reaudit-resume": ACT,
    "ruleset-rehearsal-act": ACT,
    "certificate-make": ACT,
    "certificate-run-act": ACT,
    "player-decide": ACT,
    "report-again": ACT,
    "report-run-act": ACT,
    "take-next": ACT,
    "case-act": ACT,
    "bulk-act": ACT,
    "bulk-undo": ACT,
    "claim-withdraw": ACT,
    "remedy-act": ACT,
    "bulk-preview": "it answers a form that was sent; the act that follows is in the pictures",
    "case-letter": "it is the letter of a claim, to any player of a case",
    "progress": PART,
    "reaudit-progress": PART,
    "ruleset-rehearsal-progress": PART,
    "certificate-run-progress": PART,
    "report-run-progress": PART,
    "record": FILE,
    "verdict": FILE,
    "bundle": FILE,
    "reaudit-file": FILE,
    "ruleset-file": FILE,
    "certificates-csv": FILE,
    "certificate-json": FILE,
    "certificate-csv": FILE,
    "totals-csv": FILE,
    "report-csv": FILE,
    "report-file": FILE,
    "case-letter-pdf": FILE,
    "claim-letter-pdf": FILE,
    "case-file-pdf": FILE,
    "remedy-csv": FILE,
    "remedy-json": FILE,
    "heads-text": FILE,
    "heads-json": FILE,
}


def file_name(page: Page, device: str, mode: str) -> str:
    return f"{page.name}-{device}-{mode}.png"
