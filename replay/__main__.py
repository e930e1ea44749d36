"""`python -m replay audit FILE…`: one verdict a line on standard output (FORMAT 4).

Exit status: 0 all clean or void, 1 something discrepant, 2 something rejected or unreadable
(2 wins over 1), 64 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn

from replay.audit import audit_line, reject
from replay.continuity import Continuity
from replay.library import load_rulesets
from replay.ruleset import RulesetError, Rulesets
from replay.stream import Line, read_lines
from replay.verdict import Verdict, format_verdict

EXIT_CLEAN, EXIT_DISCREPANT, EXIT_REJECTED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 64, 130
# One write for about this many bytes of verdicts: a write a line would cost more than a hand.
WRITE_BYTES = 1 << 16


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"{self.prog}: {message}\n")


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="python -m replay", description="Audit logged hands.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    audit = commands.add_parser("audit", help="write one verdict a line for each hand")
    audit.add_argument("files", nargs="+", metavar="FILE", help="a hand log, or - for stdin")
    audit.add_argument("--continuity", action="store_true", help="check across hands, too")
    audit.add_argument(
        "--rulesets", action="append", default=[], metavar="DIR", type=Path,
        help="add the rulesets (*.toml) of a folder",
    )  # fmt: skip
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns: the exit status."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    try:
        rulesets = load_rulesets(*options.rulesets)
    except RulesetError as error:
        _say(str(error))
        return EXIT_REJECTED
    run = _Run(rulesets, sys.stdout.buffer, Continuity(rulesets) if options.continuity else None)
    try:
        for name in options.files:
            run.audit_file(name)
        run.flush()
    except BrokenPipeError:
        # Whoever read us has gone; nothing is left to say, and Python must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_REJECTED
    except KeyboardInterrupt:
        run.flush()
        _say("interrupted")
        return EXIT_INTERRUPTED
    return run.status


def _say(message: str) -> None:
    data = f"replay: {message}\n".encode("utf-8", "replace")
    sys.stderr.buffer.write(data)
    sys.stderr.buffer.flush()


class _Run:
    """One run of the command over its files."""

    def __init__(self, rulesets: Rulesets, output: BinaryIO, continuity: Continuity | None) -> None:
        self._rulesets = rulesets
        self._output = output
        self._continuity = continuity
        self._waiting: list[bytes] = []
        self._waiting_bytes = 0
        self.status = EXIT_CLEAN

    def audit_file(self, name: str) -> None:
        """Audit one file; one that cannot be opened is named on standard error."""
        shown = os.fsencode(name).decode("utf-8", "replace")
        if name == "-":
            self._audit_stream(sys.stdin.buffer, shown)
            return
        try:
            stream = Path(name).open("rb")  # noqa: SIM115 (only the opening may fail this way)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            _say(f"{shown}: {reason}")
            self.status = EXIT_REJECTED
            return
        with stream:
            self._audit_stream(stream, shown)

    def _audit_stream(self, stream: BinaryIO, file: str) -> None:
        count = 0
        for line in read_lines(stream):
            self._write(self._judge(line, file))
            count += 1
        if not count:
            _say(f"{file}: no hand in it")

    def _judge(self, line: Line, file: str) -> Verdict:
        if line.data is None:
            assert line.refusal is not None
            return reject(
                None, line.refusal, file=file, number=line.number, record_sha256=line.sha256
            ).verdict
        audited = audit_line(line.data, self._rulesets, file=file, number=line.number)
        if self._continuity is not None:
            return self._continuity.judge(audited)
        return audited.verdict

    def _write(self, verdict: Verdict) -> None:
        if verdict.verdict == "rejected":
            self.status = EXIT_REJECTED
        elif verdict.verdict == "discrepant" and self.status == EXIT_CLEAN:
            self.status = EXIT_DISCREPANT
        data = format_verdict(verdict)
        self._waiting.append(data)
        self._waiting_bytes += len(data)
        if self._waiting_bytes >= WRITE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write out what waits."""
        if self._waiting:
            self._waiting.append(b"")
            self._output.write(b"\n".join(self._waiting))
            self._waiting.clear()
            self._waiting_bytes = 0
        self._output.flush()


if __name__ == "__main__":
    sys.exit(main())
