"""Settings and entry points. Importing it makes the Celery app the current one for every task."""

from audit.config.celery import app as celery_app

__all__ = ["celery_app"]
