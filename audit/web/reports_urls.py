"""Addresses of the reports."""

from django.urls import path

from audit.web import reports

urlpatterns = [
    path("", reports.report_list, name="reports"),
    path("new", reports.report_new, name="report-new"),
    path("runs/<key:run>/", reports.run_page, name="report-run"),
    path("runs/<key:run>/progress", reports.run_progress, name="report-run-progress"),
    path("runs/<key:run>/act", reports.run_act, name="report-run-act"),
    path("<key:report>/", reports.report_page, name="report"),
    path("<key:report>/versions/", reports.report_editions, name="report-editions"),
    path("<key:report>/again", reports.report_again, name="report-again"),
    path("<key:report>/file.<slug:form>", reports.report_file, name="report-file"),
]
