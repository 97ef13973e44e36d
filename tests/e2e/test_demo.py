"""`scoville demo` prints a whole game played over TCP."""

import os
import subprocess
from pathlib import Path

import pytest

from scoville_client.cli.program_games import Demo, perform_demo
from scoville_shared.replay import read_game, verify_game
from tests.support.line_mode import SCOVILLE


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCOVILLE, "demo", *arguments], capture_output=True, text=True, timeout=60, check=False)


async def output_of(demo: Demo) -> list[str]:
    lines: list[str] = []
    await perform_demo(demo, lines.append)
    return lines


def test_a_demo_shows_a_whole_game_and_its_scores() -> None:
    shown = run("--players", "4", "--option", "cycles=1", "--seed", "c0ffee")
    lines = shown.stdout.splitlines()
    assert (shown.returncode, shown.stderr) == (0, "")
    assert lines[0] == "The game starts: Anna, Paul, Max, Linus."
    for output_of in (
        "The target",
        "The cards are turned over",
        "comes closest",
        "draws",
        "is left over",
        "Cycle 1 is over",
    ):
        assert any(output_of in line for line in lines), output_of
    assert lines[-4][:3] == "1. "
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("players", [2, 3, 5])
async def test_the_same_seed_shows_the_same_game(players: int) -> None:
    demo = Demo(players=players, seed=b"\1" * 32, options={"cycles": 1})
    assert await output_of(demo) == await output_of(demo)


async def test_without_a_seed_every_game_is_another() -> None:
    demo = Demo(players=3, options={"cycles": 1})
    assert await output_of(demo) != await output_of(demo)


async def test_the_exported_game_verifies_offline(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    await output_of(Demo(players=3, options={"cycles": 1}, export=file))
    exported = read_game(file.read_text(encoding="utf-8").splitlines())
    assert [len(nonce) for nonce in exported.header.nonces] == [64, 64, 64]
    assert verify_game(exported).verified


def test_a_reader_who_has_seen_enough_disturbs_nobody() -> None:
    shown = subprocess.run(
        ["sh", "-c", f"{SCOVILLE} demo --option cycles=1 | head -n 2"], capture_output=True, text=True, check=False
    )
    assert len(shown.stdout.splitlines()) == 2
    assert shown.stderr == ""


def test_a_stream_of_ascii_is_enough() -> None:
    shown = subprocess.run(
        [SCOVILLE, "demo", "chilli_chase", "--option", "points=3", "--seed", "c0ffee"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b" - " in shown.stdout
    assert b" ? " not in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--players", "9"], 1, "Dicht dran is for 2 to 5 players, not 9.\n"),
        (["chess"], 2, "There is no game called 'chess' here"),
        (["--option", "colour=red"], 2, "colour"),
        (["--option", "cycles=1", "--export", "no/such/folder/game"], 1, "could not be written to no/such/folder/game"),
    ],
)
def test_unshowable_game_is_one_sentence(arguments: list[str], status: int, sentence: str) -> None:
    shown = run(*arguments)
    assert shown.returncode == status
    assert sentence in shown.stderr
    assert len(shown.stderr.splitlines()) == 1
