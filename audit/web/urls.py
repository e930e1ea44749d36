"""Addresses. Each step of a hand has its own; a number too long for the store is no address."""

from django.urls import include, path, register_converter

from audit.selectors.access import Act
from audit.web import certificates, exports, players, reaudits, sharing, signing_in, webhooks
from audit.web.access import needs
from audit.web.views import (
    evidence,
    hands,
    language,
    overview,
    rules,
    sources,
    uploads,
    viewer,
    what_if,
)


class KeyConverter:
    """A number that the store can hold: ASCII digits, below 10^18."""

    regex = "[0-9]{1,18}"

    def to_python(self, value: str) -> int:
        return int(value)

    def to_url(self, value: int) -> str:
        return str(value)


register_converter(KeyConverter, "key")

urlpatterns = [
    path("", signing_in.home, name="home"),
    path("login", signing_in.SignInView.as_view(), name="login"),
    path("login/code", signing_in.code_page, name="sign-in-code"),
    path("language", language.choose, name="language"),
    path("logout", needs(Act.OWN_ACCOUNT)(signing_in.SignOutView.as_view()), name="logout"),
    path("overview/", overview.overview_page, name="overview"),
    path("hands/", hands.hand_list, name="hands"),
    path("hands/filters", hands.filter_save, name="filter-save"),
    path("hands/filters/<key:saved>/delete", hands.filter_delete, name="filter-delete"),
    path("hands/<key:hand>/", viewer.hand_page, name="hand"),
    path("hands/<key:hand>/steps/", viewer.go_to_step, name="steps"),
    path("hands/<key:hand>/steps/<key:number>/", viewer.step_page, name="step"),
    path("hands/<key:hand>/what-if/", what_if.what_if, name="what-if"),
    path("hands/<key:hand>/record", viewer.record, name="record"),
    path("hands/<key:hand>/verdict", viewer.verdict, name="verdict"),
    path("uploads/", uploads.upload_list, name="uploads"),
    path("uploads/<key:upload>/", uploads.upload_page, name="upload"),
    path("uploads/<key:upload>/progress", uploads.progress, name="progress"),
    path("hands/<key:hand>/reaudits", reaudits.of_hand, name="hand-reaudits"),
    path("reaudits/", reaudits.reaudit_list, name="reaudits"),
    path("reaudits/new", reaudits.reaudit_new, name="reaudit-new"),
    path("reaudits/<key:reaudit>/", reaudits.reaudit_page, name="reaudit"),
    path("reaudits/<key:reaudit>/progress", reaudits.progress, name="reaudit-progress"),
    path("reaudits/<key:reaudit>/stop", reaudits.stop, name="reaudit-stop"),
    path("reaudits/<key:reaudit>/resume", reaudits.resume, name="reaudit-resume"),
    path("reaudits/<key:reaudit>/hands/", reaudits.changes, name="reaudit-changes"),
    path("reaudits/<key:reaudit>/hands/<key:version>/", reaudits.change, name="reaudit-change"),
    path("reaudits/<key:reaudit>/<slug:name>.csv", reaudits.file, name="reaudit-file"),
    path("sources/", sources.source_list, name="sources"),
    path("sources/<path:source>/", sources.source_page, name="source"),
    path("reports/", include("audit.web.reports_urls")),
    path("certificates/", certificates.certificate_list, name="certificates"),
    path("certificates/export.csv", certificates.certificates_csv, name="certificates-csv"),
    path("certificates/make", certificates.certificate_make, name="certificate-make"),
    path("certificates/days/", certificates.day_rules, name="day-rules"),
    path("certificates/runs/<key:run>/", certificates.run_page, name="certificate-run"),
    path(
        "certificates/runs/<key:run>/progress",
        certificates.run_progress,
        name="certificate-run-progress",
    ),
    path("certificates/runs/<key:run>/act", certificates.run_act, name="certificate-run-act"),
    path("certificates/<key:certificate>/", certificates.certificate_page, name="certificate"),
    path(
        "certificates/<key:certificate>/json",
        certificates.certificate_json,
        name="certificate-json",
    ),
    path(
        "certificates/<key:certificate>/csv", certificates.certificate_csv, name="certificate-csv"
    ),
    path("players/", players.player_list, name="players"),
    path("players/decide", players.player_decide, name="player-decide"),
    path("totals/", exports.totals_page, name="totals"),
    path("totals/export.csv", exports.totals_csv, name="totals-csv"),
    path("exports/<slug:report>.csv", exports.report_csv, name="report-csv"),
    path("desk/", include("audit.web.desk_urls")),
    path("", include("audit.web.access_urls")),
    path("hands/<key:hand>/links", sharing.hand_links, name="hand-links"),
    path("webhooks/", webhooks.webhook_list, name="webhooks"),
    path("webhooks/<key:hook>/", webhooks.webhook_page, name="webhook"),
    path("webhooks/<key:hook>/act", webhooks.webhook_act, name="webhook-act"),
    path("retention/", include("audit.web.retention_urls")),
    path("links/", sharing.link_list, name="links"),
    path("links/<key:link>/revoke", sharing.link_revoke, name="link-revoke"),
    path("shared/<slug:secret>/", sharing.shared_page, name="shared"),
    path("shared/<slug:secret>/steps/", sharing.shared_steps, name="shared-steps"),
    path("shared/<slug:secret>/steps/<key:number>/", sharing.shared_step, name="shared-step"),
    path("hands/<key:hand>/bundle", evidence.bundle, name="bundle"),
    path("evidence/", evidence.evidence_page, name="evidence"),
    path("evidence/heads.txt", evidence.heads_text, name="heads-text"),
    path("evidence/heads.json", evidence.heads_json, name="heads-json"),
    path("rules/", rules.rule_list, name="rules"),
    path("rules/rulesets/", include("audit.web.rulesets_urls")),
]
