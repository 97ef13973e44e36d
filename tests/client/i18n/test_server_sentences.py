"""What a server itself says reaches users in their language: closed tables, announcements, goodbyes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard, get_args

import pytest

import scoville_server
from scoville_client.i18n.errors import _BY_CASE, announcement_text, error_text
from scoville_client.i18n.event_text import event_phrases
from scoville_client.i18n.language import render, set_language, tr
from scoville_client.i18n.own_words import FULL, quote_server
from scoville_client.session.link import _goodbye_text
from scoville_server.moderation.bans import Ban
from scoville_server.tables.actions.close import Cause
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import Code, RemoteError, ScovilleError
from scoville_shared.protocol.messages import ByeNotice, Closed, Scope
from tests.support.toys import find_toy

ENGLISH = "Some words of an English server."


@pytest.fixture(params=["de", "fr"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


def text_of(event: Closed) -> str:
    (phrase,) = event_phrases(find_toy("heap"), event, [], playing=False, paused=False)
    return render(phrase)


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("cause", filter(None, get_args(Cause)))
def test_reason_of_a_closed_table_is_translated(cause: str) -> None:
    assert ENGLISH not in text_of(Closed(seq=1, reason=ENGLISH, cause=cause))


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("cause", [None, "of a later server"])
def test_other_reasons_are_shown_as_they_came(cause: str | None) -> None:
    assert text_of(Closed(seq=1, reason="Feierabend!", cause=cause)).endswith(" Feierabend!")


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize(
    ("code", "data"), [(Code.STORAGE_LOST, None), ("table_closes", {"game": "Dicht dran", "seconds": 58})]
)
def test_announcement_of_the_server_is_said_in_the_users_language(code: str, data: dict[str, object] | None) -> None:
    text = announcement_text(ENGLISH, code, data)
    assert ENGLISH not in text
    assert data is None or ("Dicht dran" in text and "58" in text)


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("data", [None, {}, {"game": 5, "seconds": "x"}, {"game": "Heap", "seconds": None}])
def test_announcement_that_is_not_understood_says_whose_it_is(data: dict[str, object] | None) -> None:
    assert announcement_text(ENGLISH, "table_closes", data) == quote_server(ENGLISH)


def test_announcement_of_an_admin_is_marked_as_one() -> None:
    assert announcement_text("Pizza!", None, None) == "Announcement: Pizza!"


@pytest.mark.parametrize(
    ("code", "reason", "shown"),
    [
        (Code.KICKED, "too loud", "An admin or moderator has disconnected you: too loud"),
        (Code.KICKED, None, "An admin or moderator has disconnected you."),
        (Code.SHUTTING_DOWN, None, "The server says: Some words of an English server."),
    ],
)
def test_goodbye_says_what_the_admin_said(code: str, reason: str | None, shown: str) -> None:
    assert _goodbye_text(ByeNotice(code=code, message=ENGLISH, reason=reason)) == shown


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("code", [Code.KICKED, Code.BANNED])
@pytest.mark.parametrize("reason", ["zu laut", None])
def test_goodbye_of_an_admin_is_said_in_the_users_language(code: str, reason: str | None) -> None:
    text = _goodbye_text(ByeNotice(code=code, message=ENGLISH, reason=reason))
    assert ENGLISH not in text
    assert not re.search(r"\b(Tisch|table)\b", text)
    assert reason is None or reason in text


@pytest.mark.parametrize("scope", ["server", "tables", "chat"])
@pytest.mark.parametrize("reason", ["zu laut", ""])
def test_ban_says_what_it_is_from_and_why(scope: Scope, reason: str) -> None:
    ban = Ban(id=1, kind="name", target="Ben", scope=scope, reason=reason, by="Anna", since_ms=0, until_ms=None)
    said = {}
    for set_to in ("de", "fr"):
        set_language(set_to)
        said[set_to] = error_text(ban.as_error())
    set_language("en")
    of_scope = {
        "server": ("Du bist auf diesem Server gesperrt", "Tu es banni de ce serveur"),
        "tables": ("Du darfst auf diesem Server keine Tische", "ouvrir ou de rejoindre des tables"),
        "chat": ("nicht chatten", "écrire"),
    }
    for language, text in zip(("de", "fr"), of_scope[scope], strict=True):
        assert text in said[language]
        assert reason in said[language]


def cases_of_the_server() -> Iterator[tuple[str, str, set[str]]]:
    """List the cases that the server's refusals name: code, `why`, and the other fields of `data`."""
    for path in sorted(Path(scoville_server.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Attribute):
                continue
            for data in node.args[1:]:
                if isinstance(data, ast.Dict):
                    fields = {
                        key.value: value for key, value in zip(data.keys, data.values, strict=True) if _is_text(key)
                    }
                    if "why" in fields:
                        yield Code[node.args[0].attr].value, ast.literal_eval(fields.pop("why")), set(fields)


def _is_text(node: ast.expr | None) -> TypeGuard[ast.Constant]:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


CASES = [*cases_of_the_server(), (Code.NOT_SEATED.value, "chat", {"table"})]


def test_every_server_case_has_its_own_sentence() -> None:
    assert {(code, why) for code, why, _ in CASES} == set(_BY_CASE)


@pytest.mark.parametrize(("code", "why", "fields"), CASES)
def test_case_of_a_refusal_is_said_in_the_users_language(code: str, why: str, fields: set[str], language: str) -> None:
    said = error_text(ScovilleError(code, ENGLISH, {"why": why, **dict.fromkeys(fields, 37)}))
    other = error_text(ScovilleError(code, ENGLISH, {"why": "of a later server"}))
    assert ENGLISH not in said
    assert said not in (other, _BY_CASE[code, why].text), language
    assert "most" not in fields or "37" in said


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("why", [None, 5, [], "of a later server"])
@pytest.mark.parametrize("code", [Code.NOT_ALLOWED, Code.TOO_MANY, Code.CLUB_FULL])
def test_case_that_is_not_known_is_said_in_english(code: Code, why: object) -> None:
    assert error_text(ScovilleError(code, ENGLISH, {"why": why})).endswith(ENGLISH)


def test_refusals_of_a_tournament_are_not_those_of_a_table() -> None:
    set_language("de")
    try:
        excluded = error_text(ScovilleError(Code.NOT_ALLOWED, ENGLISH, {"why": "excluded"}))
        begun = error_text(ScovilleError(Code.ALREADY_STARTED, ENGLISH, {"why": "tournament"}))
    finally:
        set_language("en")
    assert (excluded, begun) == ("Du wurdest von diesem Turnier ausgeschlossen.", "Dieses Turnier hat schon begonnen.")


def test_sentence_for_several_cases_is_true_in_each() -> None:
    set_language("de")
    try:
        # Somebody else kicks, or a connection is refused since the server is full: no start, and no table.
        host = error_text(ScovilleError(Code.NOT_HOST, "Only the host, Anna, can kick.", {"host": "Anna"}))
        full = error_text(ScovilleError(Code.BUSY, "The server is full; try again later."))
    finally:
        set_language("en")
    assert host == "Das kann nur Anna, als Gastgeber."
    assert full == "Der Server oder dieser Tisch hat zu viel zu tun; versuch es gleich noch einmal."


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_words_that_only_a_server_can_have_written_say_so(language: str) -> None:
    set_language(language)
    try:
        fake = tr("Your turn.")
        for code in ("of_a_later_server", Code.INTERNAL if language == "en" else "unknown"):
            assert error_text(RemoteError(code, fake)) == quote_server(fake)
        named = error_text(
            RemoteError(Code.CLUB_GUEST, f"{fake} is a guest; clubs are for owners of names.", {"name": fake})
        )
        assert named.startswith(quote_server(fake))
        ours = error_text(RemoteError(Code.GAME_OVER, "The game is over."))
        assert ours == render(Phrase("The game is over."))
        assert error_text(ScovilleError("coach_rests", fake)) == fake, "of the client itself"
    finally:
        set_language("en")


@pytest.mark.usefixtures("language")
def test_no_sentence_of_the_server_passes_for_a_verdict() -> None:
    for text in (FULL.text, render(FULL)):
        for said in (announcement_text(text, "unknown", None), error_text(RemoteError("unknown", text))):
            assert said == tr("The server says: {text}", text=text)
