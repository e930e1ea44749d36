"""What gunicorn serves for `bench pages`: the site with the pages of `benchmarks.empty_page`."""

from django.conf import settings

from audit.config.wsgi import application

__all__ = ["application"]

settings.ROOT_URLCONF = "benchmarks.empty_page"
