"""What it means to stop a server that is hosted here, in sentences: who is on it, and what is kept."""

from scoville_client.i18n.language import told, words
from scoville_client.session.session import Session
from scoville_shared.engine.phrases import Phrase


def others_connected(session: Session) -> int:
    """Count the people who are connected to the server beside me, as the lobby counts them."""
    return max(0, session.lobby.here - 1)


def on_the_server(session: Session) -> list[str]:
    """Say how many other people are on the server, and how many of its tables are not over."""
    people = others_connected(session)
    tables = sum(table.status != "finished" for table in session.lobby.tables)
    connected = Phrase(
        "{n} other person is connected to your server.",
        {"n": people},
        many="{n} other people are connected to your server.",
        number=people,
    )
    opened = Phrase("{n} table is open.", {"n": tables}, many="{n} tables are open.", number=tables)
    return [told(connected) if people else words("Nobody else is connected to your server."), told(opened)]


def kept_in(folder: str) -> str:
    """Say what becomes of the tables when the server stops."""
    return words(
        "The tables are kept in {folder}: when you host again, everybody goes on where they were.", folder=folder
    )


def draining(seconds: float) -> str:
    """Say that the server stops soon, and what the time is for."""
    return words(
        "Your server stops in {n} seconds, so that the others can finish their moves. No new game begins.",
        n=str(round(seconds)),
    )
