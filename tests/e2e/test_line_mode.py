"""Whole games in line mode, through pipes, as processes."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.line_mode import SCOVILLE, LineMode
from tests.support.process import ServerProcess

TURN_OR_END = r"^Your turn\. (?:You can play: |For \d peppers?, )(\d+)|^(The game is over\. )"


def play_out(user: LineMode) -> None:
    """Play the first card offered, until the game is over."""
    while card := user.hear(TURN_OR_END).group(1):
        user.type(card)


def test_practice_is_played_to_the_end_by_typing_numbers() -> None:
    with LineMode("practice", "--plain", "--players", "3", "--seed", "c0ffee", "--option", "cycles=1") as anna:
        play_out(anna)
        anna.hear(r"^3\. ")
        anna.type("scores")
        anna.type("review all")
        anna.type("quit")
        assert anna.end() == 0
        assert len([line for line in anna.said if line.startswith("1. ")]) >= 2
        assert len([line for line in anna.said if " is closest, " in line]) > 2
        assert max(line.count("\x1b") for line in anna.said) == 0


def test_two_users_play_and_review_in_line_mode() -> None:
    with LineMode("host", "--plain", "--port", "0", "--players", "3", "--name", "Anna", "--option", "cycles=1") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        with LineMode("join", f"localhost:{port}", "--plain", "--name", "Paul") as paul:
            paul.hear(r"^1\. Dicht dran, waiting: Anna, 2 seats free")
            paul.type("join 1")
            paul.hear("^Paul takes seat 2")
            anna.hear("^Paul takes seat 2")
            anna.type("start")
            users = (anna, paul)
            while all(cards := [user.hear(TURN_OR_END).group(1) for user in users]):
                for user, card in zip(users, cards, strict=True):
                    user.type(card)
            assert cards == [None, None], "the game is over for both"
            paul.type("review all")
            paul.hear("^The game starts: Anna, Paul, Bot")
            paul.hear("^The game is over")
            paul.type("leave")
            paul.hear("back in the lobby")
            paul.type("quit")
            assert paul.end() == 0
        anna.type("quit")
        assert anna.end() == 0


async def test_a_whole_evening_can_be_spent_without_seeing_anything(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "server")
    await server.start()
    way = ("join", f"127.0.0.1:{server.port}", "--plain", "--name")
    with LineMode(*way, "Anna") as anna, LineMode(*way, "Ben") as ben:
        anna.type("create dicht_dran 2 cycles=1 private start=ready countdown=0 password=habanero")
        code = anna.hear("^Others can join with: enter (.+)$").group(1)
        ben.hear("^There are no tables yet")
        ben.type(f"enter {code}")
        ben.hear("^This table has a password")
        ben.type("habanero")
        anna.hear("^Ben takes seat 2")
        ben.type("say Good evening")
        anna.hear("^Ben says: Good evening")
        users = (anna, ben)
        for number in range(2):
            for user in users:
                user.type("ready")
            play_together(users)
            for user in users:
                user.hear(r"^Verified: the server dealt as it had committed to, and all that you saw of the game is")
            if number == 0:
                review(anna, tmp_path / "game.jsonl")
                anna.type("rematch")
                ben.hear(r"^Anna wants a rematch: all players have a seat\.$")
                ben.type("follow")
        for user in users:
            user.type("leave")
            user.hear("^You are back in the lobby")
            user.type("quit")
            assert user.end() == 0
    await server.stop()


def play_together(users: tuple[LineMode, LineMode]) -> None:
    """Play the first card offered, both at the same time, until the game is over for both."""
    while all(cards := [user.hear(TURN_OR_END).group(1) for user in users]):
        for user, card in zip(users, cards, strict=True):
            user.type(card)
    assert cards == [None, None]


def review(user: LineMode, file: Path) -> None:
    """Read the profile, the chat and the log again, and print the game from its file."""
    user.type("profile")
    user.hear(r"^Anna \(guest\):")
    user.type("chat")
    user.hear(r"^\d\d:\d\d Ben says: Good evening")
    user.type("review all")
    user.hear("^The game starts: Anna, Ben")
    user.hear("^The game is over")
    user.type(f"save {file}")
    user.hear("^Game saved as")
    with LineMode("replay", str(file), "--text") as teller:
        teller.hear("Anna, Ben")
        teller.hear("^The game is over")
        assert teller.end() == 0


def test_a_killed_user_returns_and_a_second_client_differs() -> None:
    with LineMode("host", "--plain", "--port", "0", "--players", "3", "--name", "Anna") as anna:
        way = f"localhost:{anna.hear(r'scoville join .*:([0-9]+)').group(1)}"
        with LineMode("join", way, "--plain", "--name", "Caro") as caro:
            caro.hear("^1. Dicht dran")
            caro.type("join 1")
            anna.hear("^Caro takes seat 2")
            anna.type("start")
            caro.hear("^Your turn")
            caro.kill()
        with LineMode("join", way, "--plain", "--name", "Caro") as caro:
            caro.hear(r"^You are Caro\.")
            caro.hear("^Your turn")
            with LineMode("join", way, "--plain", "--name", "Caro") as other:
                other.hear(r"^The name Caro is taken\. You are Caro 2\.$")


def test_quit_ends_waiting_for_a_vanished_server() -> None:
    with LineMode("host", "--plain", "--port", "0", "--name", "Anna") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        with LineMode("join", f"localhost:{port}", "--plain") as paul:
            paul.hear("^1. Dicht dran")
            for _ in range(3):  # the last one ends the time that others have for their moves
                anna.type("quit")
            assert anna.wait() == 0
            paul.hear(r"^The server is shutting down\. Reconnecting … \(1\)$")
            paul.type("quit")
            assert paul.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_let_guests_finish_and_then_stop(number: signal.Signals) -> None:
    with LineMode("host", "--plain", "--port", "0", "--name", "Anna") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        with LineMode("join", f"localhost:{port}", "--plain") as paul:
            paul.hear("^1. Dicht dran")
            anna.signal(number)
            anna.hear("^Your server stops in 5 seconds")
            paul.hear("The server shuts down in 5 seconds")
            paul.type("create no_thanks 3")
            paul.hear(r"^The server is shutting down\.$")
            anna.signal(number)
            assert anna.wait() == (0 if number == signal.SIGINT else 128 + number)
            paul.hear(r"^The server is shutting down\. Reconnecting …")
            paul.type("quit")
            assert paul.wait() == 0


def test_end_of_input_ends_waiting_for_a_dead_server() -> None:
    with LineMode("host", "--plain", "--port", "0", "--name", "Anna") as anna:
        port = anna.hear(r"scoville join .*:(\d+)").group(1)
        with LineMode("join", f"localhost:{port}", "--plain") as paul:
            paul.hear("^1. Dicht dran")
            anna.kill()
            paul.hear(rf"^The connection to localhost:{port} is lost; reconnecting … \(1\)$")
            assert paul.end() == 0


def test_bytes_that_are_no_text_are_nonsense() -> None:
    shown = subprocess.run([SCOVILLE, "--plain"], input=b"\xff\xfe\n?\n", capture_output=True, timeout=60, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"There is no command" in shown.stdout
    assert b"quit: Quit Scoville." in shown.stdout.splitlines()


def test_practice_goes_on_after_a_kill(tmp_path: Path) -> None:
    own = {"XDG_DATA_HOME": str(tmp_path)}
    with LineMode("practice", "--plain", "--seed", "c0ffee", environment=own) as anna:
        anna.type(anna.hear(TURN_OR_END).group(1))
        anna.hear(TURN_OR_END)
        anna.type("hand")
        hand = anna.hear(r"^Your (hand|cards)").string
        anna.kill()
    with LineMode("--plain", environment=own) as anna:
        anna.hear(r"^Your game against bots from .* is not over\. Type continue\.$")
        anna.type("continue")
        anna.hear(TURN_OR_END)
        anna.type("hand")
        assert anna.hear(r"^Your (hand|cards)").string == hand
