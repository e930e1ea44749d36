"""Addresses of the API and of operations."""

from django.urls import path, re_path

from audit.api import operations, uploads

urlpatterns = [
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
    path("api/v1/uploads/", uploads.UploadList.as_view(), name="api-uploads"),
    path("api/v1/uploads/<int:upload>/", uploads.UploadOne.as_view(), name="api-upload"),
    re_path(r"^api(?:/.*)?$", uploads.Nowhere.as_view(), name="api-nowhere"),
]
