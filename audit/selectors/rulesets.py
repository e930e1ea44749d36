"""The rulesets in force, read once a process."""

from functools import cache
from pathlib import Path

from django.conf import settings

import replay


@cache
def current_rulesets() -> replay.Rulesets:
    """The shipped rulesets and those of the folders in TILECOURT_RULESETS.

    Raises: replay.RulesetError.
    """
    folders = getattr(settings, "TILECOURT_RULESETS", ())
    return replay.load_rulesets(*(Path(folder) for folder in folders))
