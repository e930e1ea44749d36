"""The web process: the only one that keeps a pool of database connections."""

import os

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.config.settings")
os.environ["TILECOURT_PROCESS"] = "web"

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from django.db import connections  # noqa: E402

from audit.config.utf8 import Utf8Request  # noqa: E402
from audit.services.self_check import check_at_start  # noqa: E402 - only when Django is set up

application.request_class = Utf8Request
check_at_start("web")
connections.close_all()
