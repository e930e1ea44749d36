from django.urls import include, path

handler400 = "audit.web.views.errors.unreadable"
handler404 = "audit.web.views.errors.not_found"
handler403 = "audit.web.views.errors.forbidden"
urlpatterns = [path("", include("audit.api.urls")), path("", include("audit.web.urls"))]
