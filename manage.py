#!/usr/bin/env python3
"""Django's command line; run it with .venv/bin/python."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.config.settings")
    # A command may be written with hyphens, as in `verify-store`.
    if sys.argv[1:] and not sys.argv[1].startswith("-"):
        sys.argv[1] = sys.argv[1].replace("-", "_")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"Tilecourt: {error}")
