"""Making the key that signs tree heads, and another in its place."""

from __future__ import annotations

import os
import secrets

from audit.selectors.seal_keys import SealKeyMissing, SealKeys, key_path, read_keys
from replay.evidence import PrivateKey, PublicKey


def make_seal_key() -> SealKeys:
    """Make a key where there is none; of two that try at once one wins. Raises: SealKeyMissing."""
    return _write(PrivateKey.make(f"tilecourt/{secrets.token_hex(8)}"), ())


def replace_seal_key() -> SealKeys:
    """Sign with a new key from now on; the old file stays beside it, under the hash of its key.

    Raises: SealKeyMissing.
    """
    known = read_keys()
    if known is None:
        return make_seal_key()
    if os.environ.get("TILECOURT_SEAL_KEY"):
        raise SealKeyMissing("The key is given by TILECOURT_SEAL_KEY: replace it there.")
    path = key_path()
    path.rename(path.with_name(f"{path.name}.{known.private.public.hash.hex()}"))
    return _write(PrivateKey.make(known.private.name), known.public)


def _write(private: PrivateKey, earlier: tuple[PublicKey, ...]) -> SealKeys:
    """Write the file whole under another name first, so that nobody reads half of it."""
    path = key_path()
    draft = path.with_name(f"{path.name}.new-{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write("\n".join((private.written(), *map(str, earlier))) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    except OSError as error:
        raise SealKeyMissing(
            f"The seal key {path} cannot be kept ({error.strerror}):"
            " set TILECOURT_SEAL_KEY_FILE or TILECOURT_HOME."
        ) from error
    keys = read_keys()
    assert keys is not None
    return keys
