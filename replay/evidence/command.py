"""`python -m replay verify BUNDLE…`: what it prints and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from replay.evidence.notes import NoteError, PublicKey
from replay.evidence.verify import Verified, verify_bundle

EXIT_ACCEPTED, EXIT_NOT_ACCEPTED, EXIT_UNREADABLE = 0, 1, 2
BYTES_MAX = 1 << 30


def read_key(text: str) -> PublicKey:
    """A public key, or the first line of a file that holds one. Raises: NoteError, OSError."""
    try:
        return PublicKey.parse(text)
    except NoteError:
        path = Path(text)
        if not path.is_file():
            raise
        return PublicKey.parse(path.read_text(encoding="utf-8").split("\n", 1)[0].strip())


def verify_files(
    names: Sequence[str], keys: Sequence[PublicKey], say: Callable[[str], None]
) -> int:
    """Verify each file and say what came out. Returns: the exit status, the worst of them."""
    status = EXIT_ACCEPTED
    for name in names:
        try:
            data = _read(Path(name))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            say(f"{name}: {reason}")
            status = EXIT_UNREADABLE
            continue
        verified = verify_bundle(data, keys)
        for line in told(name, verified):
            say(line)
        if not verified.is_accepted:
            status = max(status, EXIT_NOT_ACCEPTED)
    return status


def _read(path: Path) -> bytes:
    if path.stat().st_size > BYTES_MAX:
        raise ValueError(f"it is larger than {BYTES_MAX:,} bytes")
    return path.read_bytes()


def told(name: str, verified: Verified) -> list[str]:
    """The sentences about one bundle."""
    lines = [f"{name}: {'accepted' if verified.is_accepted else 'NOT ACCEPTED'}"]
    lines += [f"  wrong  {problem}" for problem in verified.problems]
    lines += [f"  ok     {sentence}" for sentence in verified.checked]
    lines += [f"  note   {sentence}" for sentence in verified.notes]
    if verified.signer is not None:
        lines.append(f"  key    {verified.signer}")
        if verified.is_own_key:
            lines.append(
                "  note   the key came with the bundle: compare it with the one that you were"
                " given by another way, or name that with --key"
            )
    return lines
