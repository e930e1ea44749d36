"""Ruleset files (FORMAT 5, 6.7)."""

from __future__ import annotations

import errno
import hashlib
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import replay
from replay.ruleset import SHIPPED
from tests.golden_vectors import GOLDEN

SHIPPED_NAMES = [
    "banker-pai-gow/bs-2022@1",
    "small-tien-gow/derived@1",
    "tien-gow/alan-chan@1",
    "tien-gow/classic@1",
    "tien-gow/helic@1",
    "wenzhou-pai-gow/live-2015@1",
]

CLASSIC = (SHIPPED / "tien-gow.classic.1.toml").read_text("utf-8")
WENZHOU = (SHIPPED / "wenzhou-pai-gow.live-2015.1.toml").read_text("utf-8")
BANKER = (SHIPPED / "banker-pai-gow.bs-2022.1.toml").read_text("utf-8")


def test_the_package_ships_the_six_rulesets_of_the_format() -> None:
    assert sorted(ruleset.name for ruleset in replay.load_rulesets()) == SHIPPED_NAMES


def test_shipped_files_set_the_options_of_the_vectors() -> None:
    for path in sorted(SHIPPED.glob("*.toml")):
        theirs = GOLDEN / "rulesets" / "shipped" / path.name
        assert tomllib.loads(path.read_text("utf-8")) == tomllib.loads(theirs.read_text("utf-8"))


def test_the_lock_pins_the_bytes_of_each_shipped_file() -> None:
    lock = (SHIPPED.parent / "rulesets.lock").read_text("utf-8").splitlines()
    pinned = {name: digest for digest, name in (line.split("  ") for line in lock)}
    assert pinned == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in SHIPPED.glob("*.toml")
    }


def test_every_test_ruleset_is_read() -> None:
    assert len(replay.load_rulesets(GOLDEN / "rulesets")) == 6 + len(
        list((GOLDEN / "rulesets").glob("*.toml"))
    )


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("par = 4", "par = 0", "option par: must be 1 or more"),
        ("par = 4", "par = true", "option par: must be a whole number"),
        ("par = 4", "", "option par is missing"),
        ("par = 4", "par = 4\nparr = 4", "unknown option parr"),
        ("min_jie = 2", "min_jie = 3", "option min_jie"),
        ("tian_red = 6", "tian_red = 5", "option tian_red"),
        ('slam = "on"', "slam = true", "option slam: must be one of on, off"),
        ("bao_also_he = false", 'bao_also_he = "false"', "option bao_also_he: must be true"),
        ('rake_rate = "0"', "rake_rate = 0", "option rake_rate: must be a decimal in quotes"),
        ('rake_rate = "0"', 'rake_rate = "1.01"', "option rake_rate: must be at most 1"),
        ('rake_rate = "0"', 'rake_rate = "-0"', "option rake_rate"),
        ('"all-white"', '"all-black"', "option lipai: 'all-black' is not one of"),
        ('"all-white"', '"one-red"', "option lipai: a word is there twice"),
        ("revision = 1", "revision = 0", "revision must be"),
        ("revision = 1", 'revision = "1"', "revision must be"),
        ('game = "tien-gow"', 'game = "poker"', "unknown game poker"),
        ("revision = 1", "revision = 1\nauthor = 1", "unknown key author"),
        ("[options]", "[option]", "unknown key option"),
        ("par = 4", "par = 4\npar = 4", "not TOML"),
    ],
)
def test_a_file_that_is_no_ruleset_is_refused_with_its_place(
    old: str, new: str, reason: str
) -> None:
    assert CLASSIC.count(old) == 1
    with pytest.raises(replay.RulesetError) as caught:
        replay.read_ruleset(CLASSIC.replace(old, new).encode(), where="x.toml")
    assert str(caught.value).startswith("x.toml: ")
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("content", "old", "new"),
    [
        (WENZHOU, 'odds_lose = "0.94"', 'odds_lose = "12.5"'),
        (WENZHOU, "max_win_doors = 3", "max_win_doors = 1"),
        (BANKER, 'rake_rate = "0.05"', 'rake_rate = "1"'),
        (CLASSIC, "zun_base = 2", "zun_base = 0"),
        (CLASSIC, "[options]", "[options]"),
    ],
)
def test_values_inside_the_bounds_are_read(content: str, old: str, new: str) -> None:
    assert content.count(old) == 1
    replay.read_ruleset(content.replace(old, new).encode())


@pytest.mark.parametrize("value", ["0", "4"])
def test_doors_are_one_to_three(value: str) -> None:
    with pytest.raises(replay.RulesetError, match=r"max_win_doors"):
        replay.read_ruleset(
            WENZHOU.replace("max_win_doors = 3", f"max_win_doors = {value}").encode()
        )


def test_sources_speak_of_options_that_exist() -> None:
    more = CLASSIC + '\n[sources]\npar = "seeds 000 and 004"\n'
    assert replay.read_ruleset(more.encode()).sources == {"par": "seeds 000 and 004"}
    with pytest.raises(replay.RulesetError, match=r"sources\.parr"):
        replay.read_ruleset(more.replace('\npar = "s', '\nparr = "s').encode())


def test_one_id_and_revision_with_two_contents_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "same.toml").write_text(CLASSIC, "utf-8")
    assert len(replay.load_rulesets(tmp_path)) == 6
    (tmp_path / "other.toml").write_text(CLASSIC + "# changed\n", "utf-8")
    with pytest.raises(replay.RulesetError, match=r"classic@1 is already known"):
        replay.load_rulesets(tmp_path)


def test_sub_folders_are_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "broken.toml").write_text("no", "utf-8")
    assert len(replay.load_rulesets(tmp_path)) == 6


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(replay.RulesetError, match=r"no such folder"):
        replay.load_rulesets(tmp_path / "nowhere")


@pytest.mark.parametrize("number", ["9" * 5_000, "[" * 5_000], ids=["a long number", "deep"])
def test_what_the_toml_reader_gives_up_on_is_no_ruleset(number: str) -> None:
    """6.1, 8: no input makes the command show a stack trace."""
    content = CLASSIC.replace("zun_base = 2", f"zun_base = {number}")
    with pytest.raises(replay.RulesetError, match=r"not TOML"):
        replay.read_ruleset(content.encode())


def test_a_folder_that_cannot_be_listed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder without permission is not one without rulesets. (Root may list every folder.)"""

    def iterdir(path: Path) -> Iterator[Path]:
        if path == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return plain(path)

    plain = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", iterdir)
    with pytest.raises(replay.RulesetError, match=r"Permission denied"):
        replay.load_rulesets(tmp_path)


def problems_of(content: str) -> list[tuple[str, int | None, int | None, str | None]]:
    """Path, line, column and rule of each problem, in their order."""
    found = replay.ruleset_problems(content.encode())
    return [(one.path, one.line, one.column, one.rule) for one in found]


def place(content: str, key: str) -> tuple[int, int]:
    """Line and column of the only line that begins with this key."""
    (line,) = (n for n, text in enumerate(content.split("\n"), 1) if text.lstrip().startswith(key))
    text = content.split("\n")[line - 1]
    return line, len(text) - len(text.lstrip()) + 1


@pytest.mark.parametrize(
    ("old", "new", "key", "path", "rule"),
    [
        ("par = 4", "par = 0", "par =", "$.options.par", "TG-50"),
        ("par = 4", "  par=0", "par=", "$.options.par", "TG-50"),
        ("par = 4", '"par" = 0', '"par"', "$.options.par", "TG-50"),
        ("par = 4", "par = 4\nparr = 4", "parr", "$.options.parr", None),
        ('rake_rate = "0"', 'rake_rate = "2"', "rake_rate", "$.options.rake_rate", "TG-91"),
        ('rake_rate = "0"', "", "[options]", "$.options.rake_rate", "TG-91"),
        ("revision = 1", "revision = 0", "revision", "$.revision", None),
        ('game = "tien-gow"', 'game = "poker"', "game", "$.game", None),
        ("revision = 1", "revision = 1\nauthor = 1", "author", "$.author", None),
    ],
)
def test_a_problem_names_its_path_line_column_and_rule(
    old: str, new: str, key: str, path: str, rule: str | None
) -> None:
    content = CLASSIC.replace(old, new)
    assert problems_of(content) == [(path, *place(content, key), rule)]


def test_all_problems_are_told_in_the_order_of_their_places() -> None:
    content = CLASSIC.replace("par = 4", "par = 0").replace("tian_red = 6", "tian_red = 5")
    content = content.replace("revision = 1", "revision = 0").replace('title = "', 'titel = "')
    assert [path for path, _, _, _ in problems_of(content)] == [
        "$.revision", "$.titel", "$.options.par", "$.options.tian_red", "$.title",
    ]  # fmt: skip


def test_a_key_inside_a_text_is_not_the_key() -> None:
    """What looks like a key in a text of several lines, or in a comment, has no place."""
    decoy = '[sources]\npar = """\nmin_jie = 7\n# min_jie = 7\n"""\n'
    head, options = CLASSIC.split("[options]\n")
    content = f"{head}{decoy}[options]\n{options}".replace("min_jie = 2", "min_jie = 3")
    line = content.split("\n").index("min_jie = 3") + 1
    assert problems_of(content) == [("$.options.min_jie", line, 1, "TG-31")]


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b'id = "a"\nrevision = = 1\n', 2, 12),
        (b'id = "a', 1, 8),
        ("title = \"天九\"\nid = \"".encode() + b"\xff\"\n", 2, 7),
    ],
)  # fmt: skip
def test_what_is_no_toml_names_the_line_and_column(content: bytes, line: int, column: int) -> None:
    (found,) = replay.ruleset_problems(content)
    assert (found.path, found.line, found.column) == ("$", line, column)


def test_the_place_of_a_key_is_found_in_good_time() -> None:
    """A hostile file of the greatest size costs no more than a moment."""
    # Not by the clock, which other work on the machine lets run on.
    start = time.process_time()
    for filler in (
        "par=\n" * 12_000,
        " " * 60_000 + "\n",
        "a.b." * 15_000 + "\n",
        "[[[\n" * 15_000,
    ):
        replay.ruleset_problems(f'x = """\n{filler}"""\npar = 1\n{CLASSIC}'.encode()[:65_000])
    assert time.process_time() - start < 5


def test_a_name_that_no_hand_can_carry_is_no_name() -> None:
    long = CLASSIC.replace('"tien-gow/classic"', f'"{"x" * 127}"')
    assert [path for path, *_ in problems_of(long)] == ["$.id"]
    control = CLASSIC.replace('"tien-gow/classic"', r'"tien\u0007gow"')
    assert [path for path, *_ in problems_of(control)] == ["$.id"]
    replay.read_ruleset(CLASSIC.replace('"tien-gow/classic"', f'"{"x" * 126}"').encode())


def test_a_file_beyond_any_ruleset_is_not_read() -> None:
    content = CLASSIC + "#" * 65_536
    assert "longer than 65536 bytes" in str(replay.ruleset_problems(content.encode())[0])


@pytest.mark.parametrize("game", replay.GAMES.values(), ids=replay.GAMES)
def test_options_cite_rules_that_there_are(game: replay.Game) -> None:
    cited = {name: option.rule for name, option in game.options.items()}
    assert {rule for rule in cited.values() if rule is not None} - set(game.rules) == set()
    without = {name for name, rule in cited.items() if rule is None}
    assert without == {"pg": {"tie_rule"}, "tg": {"restack"}, "wz": set()}[game.prefix]
