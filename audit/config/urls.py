from django.urls import include, path

urlpatterns = [path("", include("audit.api.urls")), path("", include("audit.web.urls"))]
