"""`scoville replay` and `scoville practice --from`: games shown, printed, recorded and continued."""

import json
import subprocess
from pathlib import Path

import pyte
import pytest
from msgspec.structs import replace

from tests.support.exports import SHORT, play_exported_game, write_export
from tests.support.line_mode import SCOVILLE, LineMode
from tests.support.terminal_screen import TerminalScreen

every_game = pytest.mark.parametrize("slug", SHORT)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCOVILLE, *arguments], capture_output=True, text=True, timeout=120, check=False)


@every_game
def test_a_transcript_shows_the_whole_game(slug: str, tmp_path: Path) -> None:
    output = run("replay", write_export(play_exported_game(slug), tmp_path / "game.jsonl"), "--text")
    assert (output.returncode, output.stderr) == (0, "")
    lines = output.stdout.splitlines()
    assert lines[0] == "The game starts: Anna, Paul, Max."
    assert any(line.startswith("The game is over.") for line in lines)
    assert lines[-3].startswith("1. ")
    assert max(map(len, lines)) <= 80
    assert "Your hand" not in output.stdout


@pytest.mark.parametrize("seat", ["Paul", "2"])
def test_a_transcript_can_be_shown_from_a_seat(seat: str, tmp_path: Path) -> None:
    output = run(
        "replay", write_export(play_exported_game("dicht_dran"), tmp_path / "game.jsonl"), "--text", "--seat", seat
    )
    assert "Your hand, with peppers" in output.stdout


def test_a_demo_equals_its_exports_transcript(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    shown = run("demo", "--option", "cycles=1", "--export", file)
    assert run("replay", file, "--text").stdout == shown.stdout


def test_a_bad_game_is_reported_and_exits_with_1(tmp_path: Path) -> None:
    game = play_exported_game("no_thanks")
    assert game.outcome is not None
    lied = replace(game, outcome=replace(game.outcome, scores=[-1, -1, -1]))
    output = run("replay", write_export(lied, tmp_path / "game.jsonl"), "--text")
    assert output.returncode == 1
    assert "The game is over." in output.stdout
    assert output.stderr.startswith("The moves lead to scores")


@pytest.mark.parametrize(("slug", "recorded"), [("dicht_dran", None), ("no_thanks", 60), ("chilli_chase", None)])
def test_a_recording_is_an_asciicast_that_ends_with_the_result(slug: str, recorded: int | None, tmp_path: Path) -> None:
    cast = tmp_path / "out.cast"
    moves = len(play_exported_game(slug).moves)
    skipped = [] if recorded is None else ["--move", str(moves - recorded)]
    made = run("replay", write_export(play_exported_game(slug), tmp_path / "game.jsonl"), *skipped, "--cast", cast)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    header, *events = [json.loads(line) for line in cast.read_text(encoding="utf-8").splitlines()]
    assert (header["version"], header["width"], header["height"]) == (2, 80, 24)
    assert all(len(event) == 3 and event[1] == "o" for event in events)
    times = [event[0] for event in events]
    assert times == sorted(times)
    assert times[-1] > (recorded or moves) / 2
    shown = TerminalScreen(80, 24)
    stream = pyte.Stream(shown)
    for _, _, text in events[:-1]:
        stream.feed(text)
    assert any("The game is over." in row for row in shown.display)
    assert cast.stat().st_size < 9 * 2**20


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "needs a terminal"),
        (
            ["--text", "--seat", "Zoe"],
            "There is no seat 'Zoe' at this table; the seats are 1 (Anna), 2 (Paul), 3 (Max).",
        ),
        (["--text", "--move", "9999"], "There is no move 9999"),
        (["--cast", "no/such/folder/out.cast"], "could not be saved in no/such/folder/out.cast"),
    ],
)
def test_unshowable_game_is_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    shown = run("replay", write_export(play_exported_game("chilli_chase"), tmp_path / "game.jsonl"), *arguments)
    assert (shown.returncode, shown.stdout) == (1, "")
    assert sentence in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


def test_practice_continues_from_a_move_and_its_game_verifies(tmp_path: Path) -> None:
    game = play_exported_game("dicht_dran")
    file = write_export(game, tmp_path / "game.jsonl")
    moves = str(len(game.moves) - 3)
    with LineMode("practice", "--from", str(file), "--move", moves, "--plain") as anna:
        anna.hear("You are Anna")
        card = anna.hear(r"^Your turn\. (?:You can play: |For \d peppers?, )(\d+)")[1]
        anna.type(card)
        anna.hear("The game is over|You can play")
        anna.type("quit")
        assert anna.end() == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--move", "9999"], "There is no move 9999"),
        (["--move", str(len(play_exported_game("chilli_chase").moves))], "The game is over after move"),
        (["--seat", "7"], "There is no seat '7'"),
        (["--seat", "0"], "Spectators cannot resume a game"),
    ],
)
def test_where_no_game_can_go_on_is_one_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    file = write_export(play_exported_game("chilli_chase"), tmp_path / "game.jsonl")
    asked = run("practice", "--plain", "--from", file, *arguments)
    assert asked.returncode == 1
    assert sentence in asked.stderr
    assert len(asked.stderr.splitlines()) == 1
