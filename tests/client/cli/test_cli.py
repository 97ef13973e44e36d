"""Commands and options of `scoville`, and the start that they select."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import scoville_client.cli.program_games
import scoville_client.plain.main
from scoville_client.cli.arguments import make_parser
from scoville_client.cli.main import main
from scoville_client.cli.program_games import Demo
from scoville_client.session.start_options import Start
from tests.support.line_mode import SCOVILLE


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Records what would be started, and starts nothing."""
    found: list[Any] = []

    def record(what: Any) -> int:
        found.append(what)
        return 0

    monkeypatch.setattr(scoville_client.plain.main, "run_line_mode", record)
    monkeypatch.setattr(scoville_client.cli.program_games, "run_demo", record)
    return found


@pytest.mark.parametrize(
    ("typed", "start"),
    [
        ("--plain", Start(kind="menu")),
        ("--plain --name Anna", Start(kind="menu", name="Anna")),
        ("practice --plain", Start(kind="practice")),
        ("--plain --ascii practice", Start(kind="practice", ascii=True)),
        ("practice no_thanks --players 3 --plain", Start(kind="practice", game="no_thanks", players=3)),
        ("practice --seed c0ffee --plain", Start(kind="practice", seed=bytes.fromhex("c0ffee") + bytes(29))),
        ("practice --seed 7 --plain", Start(kind="practice", seed=bytes([0x70]) + bytes(31))),
        ("practice --option cycles=1 --option open_won=yes --plain",
         Start(kind="practice", options={"cycles": 1, "open_won": True})),
        ("join example --plain", Start(kind="join", host="example", port=5757)),
        ("watch brave-otter@example --plain", Start(kind="join", host="example", code="brave-otter", watching=True)),
        ("join [::1]:5758 --name Paul --plain", Start(kind="join", host="::1", port=5758, name="Paul")),
        ("host --port 0 --plain", Start(kind="host", port=0)),
        ("host --plain --data my/table", Start(kind="host", data=Path("my/table"))),
        ("host --plain --absence 0", Start(kind="host", clock={"absence_ms": None})),
        ("host --plain --absence 90 --clock 30", Start(kind="host", clock={"move_ms": 30_000, "absence_ms": 90_000})),
    ],
)  # fmt: skip
def test_a_command_says_how_the_client_begins(typed: str, start: Start, started: list[Any]) -> None:
    assert main(typed.split()) == 0
    assert started == [start]


def test_a_demo_needs_no_terminal(started: list[Any]) -> None:
    assert main(["demo", "--players", "3", "--seed", "00"]) == 0
    assert started == [Demo(players=3, seed=bytes(32))]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("practice --seed xyz", "'xyz' is not a seed; write it in hexadecimal, such as c0ffee."),
        ("practice --seed " + "00" * 33, "A seed can have at most 32 bytes (got 33)."),
        ("practice --players many", "'many' is not a number of players; give a whole number such as 4."),
        ("practice --option cycles", "'cycles' is not an option; write NAME=VALUE, such as cycles=1."),
        ("practice --peppers no/such/file", "The peppers file no/such/file cannot be read"),
        ("join example:0", "'0' is not a port; give a number from 1 to 65535."),
        ("join [::1", "'[::1' is not an address"),
        ("host --absence soon", "'soon' is not a waiting time; write seconds, or 0 to wait forever."),
        ("host --port 99999", "'99999' is not a port; give a number from 0 to 65535."),
        ("practice --name " + "x" * 25, "is too long; a name can have at most 24 characters."),
    ],
)
def test_impossible_arguments_are_explained(typed: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    assert ended.value.code == 2
    output = capsys.readouterr().err
    assert sentence in output
    assert "Traceback" not in output
    assert output.endswith("--help.\n")


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (
            "--option foo=1",
            "These options are not allowed: there is no option foo; the options are cycles=2 (1 to 5), ",
        ),
        ("--option cycles=x", "These options are not allowed: cycles cannot be x; the options are cycles=2 (1 to 5), "),
        ("bridge", "There is no game called 'bridge' here; there is "),
        ("--move 5", "--move and --seat need a game to resume; name it with --from FILE."),
    ],
)
def test_unknown_option_is_refused_before_the_start(
    typed: str, sentence: str, started: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["practice", "--plain", *typed.split()]) == 2
    assert capsys.readouterr().err.startswith(sentence)
    assert started == []


@pytest.mark.parametrize("typed", ["--players 3", "--option cycles=1", "--seed 00", "--clock 30", "no_thanks"])
def test_exported_game_brings_its_own_options(
    typed: str, started: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    option = typed.split()[0] if typed.startswith("--") else "GAME"
    assert main(["practice", "--plain", "--from", "game.jsonl", *typed.split()]) == 2
    assert capsys.readouterr().err == (
        f"--from FILE brings its own game, players, options and seed; remove {option}.\n"
    )
    assert started == []


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("--name Anna demo", "--name has no effect with demo; remove it."),
        ("--name Anna replay game.jsonl", "--name has no effect with replay; remove it."),
        ("watch brave-otter --big --plain", "--big and --plain cannot be combined; choose one of them."),
        ("watch brave-otter --plain-text", "--plain-text needs the address of a server."),
        ("replay game.jsonl --text --pace 2", "--pace has no effect with --text; remove it."),
        ("--plain replay game.jsonl --pace 2", "--pace has no effect with --plain; remove it."),
        ("replay game.jsonl --plain --cast out", "--plain and --cast cannot be combined; choose one of them."),
        ("replay game.jsonl --ascii --cast out", "--ascii has no effect with --cast; remove it."),
        ("replay game.jsonl --no-color --cast out", "--no-color has no effect with --cast; remove it."),
    ],
)
def test_options_that_do_nothing_together_are_refused(
    typed: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed.split()) == 2
    assert capsys.readouterr().err == f"{sentence}\n"


def test_a_table_of_peppers_is_refused_for_a_game_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "peppers"
    file.write_text("1 " * 100)
    assert main(["practice", "no_thanks", "--peppers", str(file)]) == 2
    assert capsys.readouterr().err == "--peppers has no effect with no_thanks; remove it.\n"


LOOKS = ["--plain", "--ascii", "--no-color", "--language de"]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("command", ["practice", "host", "join example", "demo", "verify -", "arena no_thanks greedy"])
def test_display_options_work_before_and_after_a_command(look: str, command: str) -> None:
    runs = dict.fromkeys(
        [
            "",
            "tutorial",
            "practice",
            "host",
            "join",
            "watch",
            "demo",
            "verify",
            "arena",
            "rules",
            "replay",
            "review",
            "door",
            "settings",
            "games",
            "new-game",
            "check-game",
            "doctor",
        ],
        lambda _: 0,
    )
    read = make_parser(runs).parse_args
    assert vars(read([*look.split(), *command.split()])) == vars(read([*command.split(), *look.split()]))


@pytest.mark.parametrize("term", [None, "", "dumb", "unknown"])
def test_a_terminal_that_cannot_draw_gets_lines(
    term: str | None, started: list[Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    if term is None:
        monkeypatch.delenv("TERM", raising=False)
    else:
        monkeypatch.setenv("TERM", term)
    assert main(["practice"]) == 0
    assert started == [Start(kind="practice")]
    assert capsys.readouterr().out.startswith(f"This terminal cannot show screens (TERM is {term or 'not set'})")


@pytest.mark.parametrize(
    ("typed", "variables", "lines"),
    [
        ("practice", {"ACCESSIBLE": "1"}, True),
        ("practice", {"ACCESSIBLE": "yes"}, True),
        ("practice", {"ACCESSIBLE": "0"}, False),
        ("practice", {"ACCESSIBLE": "False"}, False),
        ("practice", {"ACCESSIBLE": ""}, False),
        ("practice", {"ACCESSIBLE": "1", "SCOVILLE_SCREEN_READER": "off"}, False),
        ("practice --set screen_reader=off", {"ACCESSIBLE": "1"}, False),
        ("practice --set screen_reader=on", {}, True),
        ("watch brave-otter --big", {"ACCESSIBLE": "1"}, False),
    ],
)
def test_users_of_screen_readers_get_lines(
    typed: str,
    variables: dict[str, str],
    lines: bool,
    started: list[Any],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(typed.split()) == (0 if lines else 1), "no terminal is here for screens"
    assert bool(started) is lines
    assert ("--set screen_reader=off shows screens" in capsys.readouterr().out) is lines


def test_lines_are_ascii_where_that_is_asked_for(tmp_path: Path) -> None:
    asked = [SCOVILLE, "--ascii", "--language", "fr", "demo", "no_thanks", "--players", "3", "--seed", "00"]
    output = subprocess.run(asked, capture_output=True, check=True).stdout
    assert output.isascii()
    assert output.strip()


def test_screens_without_a_terminal_point_to_the_line_mode(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["practice"]) == 1
    assert "--plain" in capsys.readouterr().err


COMMANDS = ["", "practice", "join", "host", "demo", "verify", "arena", "replay", "review", "door ssh", "door web"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_within_80_columns(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--help"])
    output = capsys.readouterr().out
    assert ended.value.code == 0
    assert output.startswith(f"usage: scoville {command}".rstrip())
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.parametrize("typed", ["--language de", "--language=de"])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_in_the_requested_language(
    command: str, typed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main([*command.split(), *typed.split(), "--help"])
    output = capsys.readouterr().out
    assert output.startswith(f"Aufruf: scoville {command}".rstrip())
    assert max(map(len, output.splitlines())) <= 80
    assert not any(word in output for word in ("usage", "show this", "if not given"))


def test_mistakes_are_answered_in_the_requested_language(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["host", "--language", "fr", "--absence", "soon"])
    output = capsys.readouterr().err
    assert "n\u2019est pas une durée d\u2019attente" in output
    assert output.endswith("Aide\u202f: scoville host --help.\n")


def test_help_is_written_with_what_the_output_can_carry() -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run([SCOVILLE, "--language", "fr", "--help"], env=plain, capture_output=True, check=True)
    assert b"l'ecran d'accueil" in shown.stdout


def test_an_unwritable_debug_log_is_refused_at_once(
    tmp_path: Path, started: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "nowhere" / "debug.log"
    assert main(["practice", "--plain", "--debug-log", str(file)]) == 2
    assert capsys.readouterr().err == f"The debug log {file} cannot be written: No such file or directory.\n"
    assert started == []


def test_the_rules_of_a_game_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "no_thanks", "--language", "de"]) == 0
    german = capsys.readouterr().out
    assert "Chip" in german
    assert "zähl" in german
    assert main(["rules", "no_thanks", "--language", "de", "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()
    assert main(["rules", "bridge"]) == 1
    assert capsys.readouterr().err.startswith("There are no rules of 'bridge'; there are those of ")
