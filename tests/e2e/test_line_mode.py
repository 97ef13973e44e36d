"""People who hear instead of see: whole games in line mode, through pipes, as processes."""

import subprocess

from tests.support.person import SCOVILLE, Person

TURN_OR_END = r"^Your turn\. You can play: (\d+)|^(The game is over\. )"


def play_out(person: Person) -> None:
    """Play the first card offered, until the game is over."""
    while card := person.hear(TURN_OR_END).group(1):
        person.type(card)


def test_practice_is_played_to_the_end_by_typing_numbers() -> None:
    with Person("practice", "--plain", "--players", "3", "--seed", "c0ffee", "--option", "cycles=1") as anna:
        play_out(anna)
        anna.hear(r"^3\. ")
        anna.type("scores")
        anna.type("review all")
        anna.type("quit")
        assert anna.end() == 0
        assert len([line for line in anna.said if line.startswith("1. ")]) >= 2
        assert len([line for line in anna.said if line.startswith("The cards are turned over")]) > 2
        assert max(line.count("\x1b") for line in anna.said) == 0


def test_two_people_create_join_play_and_review_a_game_in_line_mode() -> None:
    with Person("host", "--plain", "--port", "0", "--players", "3", "--name", "Anna", "--option", "cycles=1") as anna:
        port = anna.hear(r"scoville join .*:(\d+)$").group(1)
        with Person("join", f"localhost:{port}", "--plain", "--name", "Paul") as paul:
            paul.hear(r"^1\. dicht_dran, waiting: Anna, 2 open")
            paul.type("join 1")
            paul.hear("^Paul takes seat 2")
            anna.hear("^Paul takes seat 2")
            anna.type("start")
            people = (anna, paul)
            while all(cards := [person.hear(TURN_OR_END).group(1) for person in people]):
                for person, card in zip(people, cards, strict=True):
                    person.type(card)
            assert cards == [None, None], "the game is over for both"
            paul.type("review all")
            paul.hear("^The game begins: Anna, Paul, Bot")
            paul.hear("^The game is over")
            paul.type("leave")
            paul.hear("back in the lobby")
            paul.type("quit")
            assert paul.end() == 0
        anna.type("quit")
        assert anna.end() == 0


def test_who_was_killed_is_back_in_the_same_seat_and_a_second_client_is_somebody_else() -> None:
    with Person("host", "--plain", "--port", "0", "--players", "3", "--name", "Anna") as anna:
        way = f"localhost:{anna.hear(r'scoville join .*:([0-9]+)$').group(1)}"
        with Person("join", way, "--plain", "--name", "Caro") as caro:
            caro.hear("^1. dicht_dran")
            caro.type("join 1")
            anna.hear("^Caro takes seat 2")
            anna.type("start")
            caro.hear("^Your turn")
            caro.kill()
        with Person("join", way, "--plain", "--name", "Caro") as caro:
            caro.hear(r"^You are Caro\.")
            caro.hear("^Your turn")
            with Person("join", way, "--plain", "--name", "Caro") as other:
                other.hear(r"^You are Caro 2\.")


def test_of_a_server_that_goes_away_one_sentence_tells_and_quit_ends_the_waiting() -> None:
    with Person("host", "--plain", "--port", "0", "--name", "Anna") as anna:
        port = anna.hear(r"scoville join .*:(\d+)$").group(1)
        with Person("join", f"localhost:{port}", "--plain") as paul:
            paul.hear("^1. dicht_dran")
            anna.type("quit")
            assert anna.end() == 0
            paul.hear(r"^The server is shutting down\. Waiting for it to come back … \(1\)$")
            paul.type("quit")
            assert paul.wait() == 0


def test_of_a_server_that_dies_one_sentence_tells_and_the_end_of_the_input_ends_the_waiting() -> None:
    with Person("host", "--plain", "--port", "0", "--name", "Anna") as anna:
        port = anna.hear(r"scoville join .*:(\d+)$").group(1)
        with Person("join", f"localhost:{port}", "--plain") as paul:
            paul.hear("^1. dicht_dran")
            anna.kill()
            paul.hear(rf"^The line to localhost:{port} is down; trying again … \(1\)$")
            assert paul.end() == 0


def test_bytes_that_are_no_text_are_answered_like_any_other_nonsense() -> None:
    shown = subprocess.run([SCOVILLE, "--plain"], input=b"\xff\xfe\n?\n", capture_output=True, timeout=60, check=False)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"There is no command" in shown.stdout
    assert shown.stdout.splitlines()[-1].startswith(b"quit:")
