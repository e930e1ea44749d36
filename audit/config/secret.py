"""The secret key: made once, kept outside the repository, readable by its owner alone."""

import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def secret_key(state: Path) -> str:
    """Give TILECOURT_SECRET_KEY, or the key in the state folder, made on the first start."""
    if given := os.environ.get("TILECOURT_SECRET_KEY"):
        return given
    path = state / "secret_key"
    try:
        if not path.exists():
            make_key(path)
        if key := path.read_text().strip():
            return key
    except OSError as error:
        raise ImproperlyConfigured(
            f"The secret key {path} cannot be kept ({error.strerror}):"
            " set TILECOURT_SECRET_KEY or TILECOURT_HOME."
        ) from error
    raise ImproperlyConfigured(f"The secret key file {path} is empty: remove it.")


def make_key(path: Path) -> None:
    """Write a new key so that of two first starts at once one wins and neither sees half a key."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"secret_key.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(64))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
