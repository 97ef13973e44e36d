"""The planned end of a server, as its users are told in their language."""

from collections.abc import Iterator

import pytest

from scoville_client.i18n.language import render, set_language
from scoville_client.session.changes import Change, ShutdownAnnounced
from scoville_client.session.planned_end import PlannedEnd, describe_end
from scoville_client.session.session import Session
from scoville_runtime.clock import Clock
from scoville_shared.protocol.messages import ShutdownNotice


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    set_language("en")


SENTENCES = {
    "en": (
        "The server shuts down in 10 minutes. Everything is saved.",
        "The server shuts down in 1 second. Everything is saved. The reason: Upgrade",
        "The server shuts down in 10 min: Upgrade",
        "The server shuts down in 0:59.",
    ),
    "de": (
        "Der Server wird in 10 Minuten heruntergefahren. Alles ist gespeichert.",
        "Der Server wird in 1 Sekunde heruntergefahren. Alles ist gespeichert. Der Grund: Upgrade",
        "Der Server wird in 10 min heruntergefahren: Upgrade",
        "Der Server wird in 0:59 heruntergefahren.",
    ),
    "fr": (
        "Le serveur s\u2019arrête dans 10 minutes. Tout est enregistré.",
        "Le serveur s\u2019arrête dans 1 seconde. Tout est enregistré. La raison\u202f: Upgrade",
        "Le serveur s\u2019arrête dans 10 min\u202f: Upgrade",
        "Le serveur s\u2019arrête dans 0:59.",
    ),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_sentences_are_in_the_users_language(language: str) -> None:
    set_language(language)
    assert (
        render(describe_end(600, "")),
        render(describe_end(1, "Upgrade")),
        PlannedEnd(600.0, "Upgrade").describe_countdown(0.001),
        PlannedEnd(600.0).describe_countdown(541.2),
    ) == SENTENCES[language]


def test_countdown_shows_minutes_then_seconds() -> None:
    end, now, shown = PlannedEnd(150.0), 0.0, []
    while (wait := end.changes_in(now)) is not None:
        shown.append(end.describe_countdown(now).removeprefix("The server shuts down in "))
        now += wait
    assert shown[:4] == ["3 min.", "2 min.", "1:30.", "1:29."]
    assert len(shown) == 92


def test_session_keeps_the_time_until_it_is_called_off() -> None:
    session, changes = Session(clock=Clock(seconds=lambda: 7.0)), list[Change]()
    session.subscribe(changes.append)
    session.on_notice(ShutdownNotice(ends_in_ms=60_000, reason="Upgrade"))
    assert session.shutdown.planned == PlannedEnd(67.0, "Upgrade")
    session.on_notice(ShutdownNotice(ends_in_ms=None))
    assert session.shutdown.planned is None
    assert [render(change.sentence) for change in changes if isinstance(change, ShutdownAnnounced)] == [
        "The server shuts down in 60 seconds. Everything is saved. The reason: Upgrade",
        "The server does not shut down after all.",
    ]
