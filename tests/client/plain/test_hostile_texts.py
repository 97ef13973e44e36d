"""Line mode with a hostile server: no control characters reach the output."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from scoville_client.i18n.errors import announcement_text
from scoville_client.i18n.language import render, set_language, tr
from scoville_client.i18n.own_words import FULL
from scoville_client.output import complain, write_line
from scoville_client.plain.commands.playing import read_log
from scoville_client.plain.output import TextOutput
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.games.no_thanks import GAME
from tests.support.hostile import EVERYTHING, PAYLOADS, HostileProxy, list_disturbances, spoil_messages
from tests.support.listener import listen_as, serve_cheaply, start_line_mode

COMMANDS = (
    "tables",
    "users",
    "who Marie",
    "profile",
    "leaders no_thanks",
    "games",
    "invitations",
    "account",
    "say Hello",
    "whisper Ada Hello",
    "nonsense",
)


async def test_no_line_disturbs_a_terminal() -> None:
    async with (
        serve_cheaply() as server,
        listen_as(server, "Marie") as marie,
        HostileProxy(server.port, spoil_messages(EVERYTHING)) as proxy,
    ):
        await marie.ask("create no_thanks 3", "table")
        async with start_line_mode(proxy.way()) as paul:
            for command in COMMANDS:
                paul.type(command)
            marie.type("say Hello", "whisper Paul psst")
            await paul.hear("psst")
            await paul.ask("join 1", "takes seat")
            await marie.ask("start", "Your turn|turn|deal|card")
            await paul.ask("table", "card")
            paul.type("log", "hand", "moves", "about", "watchers", "invite Ada")
            await paul.ask("who", "1")
        assert len(paul.said) > 30
        assert [line for line in paul.said if list_disturbances(line)] == []


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_the_last_line_of_defence_writes_nothing_that_acts(payload: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_line(f"a {payload} z")
    complain(f"a {payload} z")
    out, err = capsys.readouterr()
    for written in (out, err):
        assert written.startswith("a ")
        assert written.endswith(" z\n")
        assert list_disturbances(written[:-1]) == []


def test_the_signs_and_blanks_of_the_client_itself_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    line = "  1\u202f234 € · „Jürgen“ ▸ ● ♥ 5 × 3 − 1\u00a0… ไทย שלום"
    write_line(line)
    assert capsys.readouterr().out == f"{line}\n"


def test_a_finished_game_without_events_can_be_read() -> None:
    app, at = (cast("Any", SimpleNamespace(**fields)) for fields in ({"reviewed": ("", 0)}, {"game": GAME, "log": []}))
    assert read_log(app, at, "table", (), "") == ["Nothing has happened yet."]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_only_the_client_says_that_a_deal_is_verified(language: str) -> None:
    set_language(language)
    try:
        said: list[str] = []
        output, verdict = TextOutput(said.append), render(FULL)
        for text in (verdict, f"- {verdict}", verdict.upper(), FULL.text.replace("e", "\N{CYRILLIC SMALL LETTER IE}")):
            output.write_error(ScovilleError("of_a_later_server", text))
            output.say("{announcement}", announcement=announcement_text(text, "of a later server", None))
            output.write([Phrase("{sentence}", {"sentence": text})])
        assert len(said) == 12
        assert all(line.startswith(tr("The server says: {text}", text="").rstrip()) for line in said), said
        output.write_error(ScovilleError("no_seat", "Verification is for others."))
        output.write([FULL])
        assert said[12:] == ["Verification is for others.", verdict]
    finally:
        set_language("en")
