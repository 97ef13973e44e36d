"""Sentences about stopping a server that is hosted here: who is connected, and what is saved."""

from scoville_client.i18n.language import render, tr
from scoville_client.session.hosting import Running
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase


def others_connected(session: Session, running: Running | None) -> int:
    """Return how many other users are connected to the server that runs here.

    The lobby counts users but tells changes after a while; the server knows its connections at once.
    """
    return max(0, session.lobby.here - 1, 0 if running is None else running.others)


def on_the_server(session: Session, running: Running | None) -> list[str]:
    """Return sentences about the other users and the unfinished tables on the server that runs here."""
    users = others_connected(session, running)
    tables = sum(table.status != "finished" for table in session.lobby.tables)
    connected = Phrase(
        "{n} other user is connected to your server.",
        {"n": users},
        many="{n} other users are connected to your server.",
        number=users,
    )
    opened = Phrase("{n} table is open.", {"n": tables}, many="{n} tables are open.", number=tables)
    return [render(connected) if users else tr("Nobody else is connected to your server."), render(opened)]


def kept_in(folder: str) -> str:
    """Return a sentence about what happens to the tables when the server stops."""
    return tr("The tables are saved in {folder}; when you host again, every game resumes there.", folder=folder)


def draining_text(seconds: float) -> str:
    """Return a sentence that the server stops soon."""
    return tr(
        "Your server stops in {n} seconds, so that the others can finish their moves. No new games start.",
        n=str(round(seconds)),
    )
