"""What a server itself says reaches users in their language: closed tables, announcements, goodbyes."""

import re
from collections.abc import Iterator
from typing import get_args

import pytest

from scoville_client.i18n.errors import announcement_text
from scoville_client.i18n.event_text import event_phrases
from scoville_client.i18n.language import render, set_language
from scoville_client.session.link import _goodbye_text
from scoville_server.tables.actions.close import Cause
from scoville_shared.errors import Code
from scoville_shared.protocol.messages import ByeNotice, Closed
from tests.support.toys import toy

ENGLISH = "Some words of an English server."


@pytest.fixture(params=["de", "fr"])
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


def text_of(event: Closed) -> str:
    (phrase,) = event_phrases(toy("heap"), event, [], playing=False, paused=False)
    return render(phrase)


@pytest.mark.usefixtures("language")
@pytest.mark.parametrize("cause", filter(None, get_args(Cause)))
def test_cause_of_a_closed_table_is_said_in_the_users_language(cause: str) -> None:
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
def test_announcement_that_is_not_understood_is_shown_as_it_came(data: dict[str, object] | None) -> None:
    assert announcement_text(ENGLISH, "table_closes", data) == ENGLISH


def test_announcement_of_an_admin_is_marked_as_one() -> None:
    assert announcement_text("Pizza!", None, None) == "Announcement: Pizza!"


@pytest.mark.parametrize(
    ("code", "reason", "shown"),
    [
        (Code.KICKED, "too loud", "An admin has disconnected you: too loud"),
        (Code.KICKED, None, "An admin has disconnected you."),
        (Code.SHUTTING_DOWN, None, "Some words of an English server."),
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
