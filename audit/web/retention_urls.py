"""Addresses of the pages about keeping and deleting."""

from django.urls import path

from audit.web import retention

urlpatterns = [
    path("", retention.retention_page, name="retention"),
    path("terms", retention.term_set, name="retention-term"),
    path("holds", retention.hold_place, name="hold-place"),
    path("holds/<key:hold>/lift", retention.hold_lift, name="hold-lift"),
    path("runs/<key:run>/", retention.run_page, name="retention-run"),
    path("runs/<key:run>/certificate.json", retention.certificate, name="retention-certificate"),
]
