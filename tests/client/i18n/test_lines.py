"""The line mode and the demo in other languages."""

import pytest

from scoville_client.cli.main import main
from scoville_client.session.start_options import Start
from tests.client.plain.test_conversation import conversation

ENGLISH_WORDS = (" the ", "Round ", " card", " wins", " takes ", " and ", " plays ")


@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
@pytest.mark.parametrize(("language", "ending"), [("de", "Das Spiel ist zu Ende."), ("fr", "La partie est terminée.")])
def test_a_whole_game_is_written(game: str, language: str, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", game, "--players", "3", "--seed", "07", "--language", language]) == 0
    output = capsys.readouterr().out
    assert ending in output
    assert [line for line in output.splitlines() for word in ENGLISH_WORDS if word in line] == []


async def test_the_line_mode_changes_its_language_and_shows_the_rules() -> None:
    status, said = await conversation(
        Start(kind="practice", seed=bytes(32), name="Anna"),
        "language de",
        "rules",
        "rules no_thanks",
        "rules no_thanks Aufbau",
        "rules 2. aktion",
        "rules 99",
        "language xx",
    )
    assert status == 0
    assert "Die Sprache ist jetzt Deutsch." in said
    assert "Dicht dran: 1. Aktion: wählen" in said
    assert "No Thanks!: Worum es geht" in said
    assert "No Thanks!: Aufbau" in said
    assert "Dicht dran: 2. Aktion: das Ziel" in said
    assert "Es gibt keine Seite 99." in said
    assert "Gib eine Sprache an: en, de, fr." in said
