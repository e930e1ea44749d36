"""Addresses of the API and of operations."""

from django.urls import path, re_path

from audit.api import certificates, exports, operations, reaudits, steps, uploads

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
    path("api/v1/uploads/", uploads.UploadList.as_view(), name="api-uploads"),
    path("api/v1/uploads/<int:upload>/", uploads.UploadOne.as_view(), name="api-upload"),
    path("api/v1/hands/<int:hand>/steps/<int:number>/", steps.HandStep.as_view(), name="api-step"),
    path("api/v1/reaudits/", reaudits.ReauditList.as_view(), name="api-reaudits"),
    path("api/v1/reaudits/<int:reaudit>/", reaudits.ReauditOne.as_view(), name="api-reaudit"),
    path(
        "api/v1/reaudits/<int:reaudit>/stop",
        reaudits.ReauditStop.as_view(),
        name="api-reaudit-stop",
    ),
    path(
        "api/v1/reaudits/<int:reaudit>/resume",
        reaudits.ReauditResume.as_view(),
        name="api-reaudit-resume",
    ),
    path(
        "api/v1/reaudits/<int:reaudit>/report",
        reaudits.ReauditReport.as_view(),
        name="api-reaudit-report",
    ),
    path(
        "api/v1/reaudits/<int:reaudit>/changes",
        reaudits.ReauditChanges.as_view(),
        name="api-reaudit-changes",
    ),
    path(
        "api/v1/reaudits/<int:reaudit>/aside",
        reaudits.ReauditAside.as_view(),
        name="api-reaudit-aside",
    ),
    path("api/v1/certificates/", certificates.CertificateList.as_view(), name="api-certificates"),
    path(
        "api/v1/certificates/<int:certificate>/",
        certificates.CertificateOne.as_view(),
        name="api-certificate",
    ),
    path(
        "api/v1/certificates/runs/<int:run>/",
        certificates.CertificateRunOne.as_view(),
        name="api-certificate-run",
    ),
    path("api/v1/exports/<slug:report>.csv", exports.Export.as_view(), name="api-export"),
    re_path(r"^api(?:/.*)?$", uploads.Nowhere.as_view(), name="api-nowhere"),
]
