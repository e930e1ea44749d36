"""The Celery app.

The result of a task is its rows: there is no result backend. A message is acknowledged after its
task has ended, and a worker holds one message at a time, so that a killed worker loses none.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.config.settings")

app = Celery("tilecourt")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_django_logging(**_: Any) -> None:
    """Keep the logging that the settings set up: a receiver here stops Celery's own."""
