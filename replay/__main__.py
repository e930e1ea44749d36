"""The command: `python -m replay audit FILE…`, `explain FILE`, `simulate --game … --hands N`,
`verify BUNDLE…`.

`audit` writes one verdict a line on standard output (FORMAT 4). Exit status: 0 all clean or void,
1 something discrepant, 2 something rejected or unreadable (2 wins over 1), 3 nothing of these but a
record with gaps, of which not everything could be checked, 64 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import msgspec

from replay.audit import audit_line, reject
from replay.continuity import Continuity
from replay.evidence.command import read_key, verify_files
from replay.evidence.notes import NoteError, PublicKey
from replay.explain import explain
from replay.games import GAMES
from replay.library import load_rulesets
from replay.money import MoneyError, Rate
from replay.partial import PartialVerdict, audit_partial, is_partial
from replay.ruleset import RulesetError, Rulesets
from replay.simulate import FAULT_SCALE, Planted, simulate_with_faults
from replay.stream import Line, read_lines
from replay.verdict import Verdict, format_verdict

EXIT_CLEAN, EXIT_DISCREPANT, EXIT_REJECTED, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 64, 130
EXIT_CONSISTENT = 3
# One write for about this many bytes of verdicts: a write a line would cost more than a hand.
WRITE_BYTES = 1 << 16
# The rules that are taken when `simulate` is told none.
DEFAULT_RULESETS = frozenset(
    {
        "banker-pai-gow/bs-2022@1",
        "tien-gow/classic@1",
        "small-tien-gow/derived@1",
        "wenzhou-pai-gow/live-2015@1",
    }
)


class _Parser(argparse.ArgumentParser):
    def __init__(self, **how: Any) -> None:
        # A part of an option's name is an unknown option (FORMAT 6.1, 8).
        super().__init__(**how, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        # Not `print_usage`: where standard error is closed, that takes standard output.
        self.exit(EXIT_USAGE, f"{self.format_usage()}{self.prog}: {message}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        # The first releases of Python 3.11 stumble over a channel that is closed.
        if file is not None or sys.stderr is not None:
            super()._print_message(message, file)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = _Parser(prog="python -m replay", description="Audit logged hands.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    audit = commands.add_parser("audit", help="write one verdict a line for each hand")
    audit.add_argument("files", nargs="+", metavar="FILE", help="a hand log, or - for stdin")
    audit.add_argument("--continuity", action="store_true", help="check across hands, too")
    explain_ = commands.add_parser("explain", help="tell a hand and the way to each figure")
    explain_.add_argument("file", metavar="FILE", help="a hand log, or - for stdin")
    explain_.add_argument("--line", type=int, metavar="N", help="only the hand in this line")
    explain_.add_argument("--hand", metavar="ID", help="only the hands with this id")
    made = commands.add_parser("simulate", help="write random legal hands, settled right")
    made.add_argument("--game", required=True, choices=sorted(GAMES))
    made.add_argument("--hands", required=True, type=_count, metavar="N")
    made.add_argument("--seed", required=True, type=int, metavar="S")
    made.add_argument("--ruleset", metavar="ID@REVISION", help="the rules in force")
    made.add_argument(
        "--faults", type=_share, default=0, metavar="RATE",
        help="the share of hands that get one fault, 0 to 1",
    )  # fmt: skip
    made.add_argument(
        "--planted", type=Path, metavar="FILE",
        help="where to list the planted faults, one a line (else on standard error)",
    )  # fmt: skip
    verify = commands.add_parser("verify", help="check a bundle of evidence and name what is wrong")
    verify.add_argument("files", nargs="+", metavar="BUNDLE", help="a bundle of Tilecourt (zip)")
    verify.add_argument(
        "--key", action="append", default=[], type=_key,
        help="a public key that may have signed it, or a file with one",
    )  # fmt: skip
    verify.set_defaults(rulesets=[])
    for command in (audit, explain_, made):
        command.add_argument(
            "--rulesets", action="append", default=[], metavar="DIR", type=Path,
            help="add the rulesets (*.toml) of a folder",
        )  # fmt: skip
    return parser.parse_args(arguments)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text} is not a number of hands")
    return int(text)


def _key(text: str) -> PublicKey:
    try:
        return read_key(text)
    except (NoteError, OSError, UnicodeDecodeError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _share(text: str) -> int:
    """A share of 0 to 1 as parts of a million."""
    try:
        rate = Rate.parse(text)
    except MoneyError:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 0.02") from None
    if rate.is_above(1):
        raise argparse.ArgumentTypeError(f"{text} is more than 1")
    return rate.floor_of(FAULT_SCALE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command. Returns: the exit status."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    try:
        rulesets = load_rulesets(*options.rulesets)
    except RulesetError as error:
        _say(str(error))
        return EXIT_REJECTED
    if sys.stdout is None:
        _say("standard output is closed")
        return EXIT_REJECTED
    try:
        status = _COMMANDS[options.command](options, rulesets)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read us has gone; nothing is left to say.
        _drop_output()
        return EXIT_REJECTED
    except OSError as error:
        # What cannot be read is a verdict or a sentence of its own: this is what cannot be written.
        _say(f"cannot write: {error}")
        _drop_output()
        return EXIT_REJECTED
    except KeyboardInterrupt:
        _say("interrupted")
        return EXIT_INTERRUPTED
    return status


def _drop_output() -> None:
    """Send what is left of standard output nowhere: Python must not try again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _audit(options: argparse.Namespace, rulesets: Rulesets) -> int:
    continuity = Continuity(rulesets) if options.continuity else None
    run = _Run(rulesets, sys.stdout.buffer, continuity)
    try:
        for name in options.files:
            run.audit_file(name)
    finally:
        # Also when interrupted: what was judged is said.
        run.flush()
    return run.status


def _explain(options: argparse.Namespace, rulesets: Rulesets) -> int:
    found = 0
    with _opened(options.file) as stream:
        if stream is None:
            return EXIT_REJECTED
        for line in read_lines(stream):
            if options.line not in (None, line.number):
                continue
            if line.data is None:
                if options.hand is None:
                    found += 1
                    _out(f"line {line.number}: rejected\n  {line.refusal}\n")
                continue
            audited = audit_line(line.data, rulesets, file=options.file, number=line.number)
            if options.hand in (None, audited.verdict.hand_id):
                found += 1
                _out(explain(line.data, audited, rulesets) + "\n")
    if not found:
        _say(f"{options.file}: no such hand in it")
        return EXIT_REJECTED
    return EXIT_CLEAN


def _simulate(options: argparse.Namespace, rulesets: Rulesets) -> int:
    of_game = [ruleset for ruleset in rulesets if ruleset.game == options.game]
    wanted = [ruleset for ruleset in of_game if options.ruleset in (None, ruleset.name)]
    if not wanted:
        names = ", ".join(ruleset.name for ruleset in of_game)
        _say(f"{options.ruleset} is no ruleset of {options.game}; there is {names}")
        return EXIT_USAGE
    # Where none is named: the customer's own, which the format lists first.
    ruleset = next((r for r in wanted if r.name in DEFAULT_RULESETS), wanted[0])
    made = simulate_with_faults(
        options.game, options.hands, options.seed, ruleset, fault_ppm=options.faults
    )
    with _planted_list(options.planted) as planted:
        for number, simulated in enumerate(made, start=1):
            sys.stdout.buffer.write(simulated.line + b"\n")
            if simulated.planted is not None:
                planted.write(_planted_line(number, simulated.planted))
    return EXIT_CLEAN


def _planted_line(number: int, planted: Planted) -> bytes:
    return (
        msgspec.json.encode(
            {
                "line": number,
                "hand_id": planted.hand_id,
                "code": planted.code,
                "event": planted.event,
            }
        )
        + b"\n"
    )


@contextmanager
def _planted_list(path: Path | None) -> Iterator[BinaryIO]:
    if path is None:
        yield sys.stderr.buffer
    else:
        with path.open("wb") as stream:
            yield stream


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO | None]:
    """A file or standard input; None where it cannot be opened, which is said."""
    if name == "-":
        if sys.stdin is None:
            _say("-: standard input is closed")
            yield None
        else:
            yield sys.stdin.buffer
        return
    try:
        stream = Path(name).open("rb")  # noqa: SIM115 (only the opening may fail this way)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        _say(f"{_shown(name)}: {reason}")
        yield None
        return
    with stream:
        yield stream


def _shown(name: str) -> str:
    return os.fsencode(name).decode("utf-8", "replace")


def _out(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8"))


def _verify(options: argparse.Namespace, _: Rulesets) -> int:
    return verify_files(options.files, options.key, lambda line: _out(line + "\n"))


_COMMANDS = {"audit": _audit, "explain": _explain, "simulate": _simulate, "verify": _verify}


def _say(message: str) -> None:
    if sys.stderr is None:
        return
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
        with _opened(name) as stream:
            if stream is None:
                self.status = EXIT_REJECTED
            else:
                self._audit_stream(stream, _shown(name))

    def _audit_stream(self, stream: BinaryIO, file: str) -> None:
        count = 0
        for line in read_lines(stream):
            self._write(self._judge(line, file))
            count += 1
        if not count:
            _say(f"{file}: no hand in it")

    def _judge(self, line: Line, file: str) -> Verdict | PartialVerdict:
        if line.data is None:
            assert line.refusal is not None
            return reject(
                None, line.refusal, file=file, number=line.number, record_sha256=line.sha256
            ).verdict
        audited = audit_line(line.data, self._rulesets, file=file, number=line.number)
        if audited.refusal is not None and is_partial(line.data):
            return audit_partial(line.data, self._rulesets, file=file, number=line.number).verdict
        if self._continuity is not None:
            return self._continuity.judge(audited)
        return audited.verdict

    def _write(self, verdict: Verdict | PartialVerdict) -> None:
        if verdict.verdict == "rejected":
            self.status = EXIT_REJECTED
        elif verdict.verdict == "discrepant" and self.status != EXIT_REJECTED:
            self.status = EXIT_DISCREPANT
        elif verdict.verdict == "consistent" and self.status == EXIT_CLEAN:
            self.status = EXIT_CONSISTENT
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
