"""Leave dialogs: questions before leaving a table, quitting in the middle of a game, or stopping a hosted server."""

from collections.abc import Iterator, Sequence
from typing import Literal

from scoville_client.i18n.clock_text import absence_terms
from scoville_client.i18n.language import render, tr
from scoville_client.session.start_options import Kind
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.dialogs.question import Answer, QuestionDialog
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import TableClock

LeaveAnswer = Literal["stay", "leave", "lobby"]
LeaveCase = Literal["practice", "kept", "players", "bots", "host", "waiting", "quit", "lost"]
"""The place that the user leaves: practice, of which nothing is kept or all; a game with other players or only with
bots; a game on the hosted server; a table before its game; the client in the middle of a game; a game whose connection
is down."""

_CONSEQUENCES: dict[LeaveCase, Phrase] = {
    "practice": Phrase(
        "The game is not over. It is saved after your first move: if you leave now, you cannot continue it."
    ),
    "kept": Phrase("The game is not over. It is saved: continue it whenever you want, on the start screen (c)."),
    "players": Phrase(
        "The game is not over. If you leave, a bot takes over; if you only go to the lobby, your "
        "seat is kept. You can come back either way."
    ),
    "bots": Phrase(
        "The game is not over. If you leave, it waits for you ({time}); then bots play it to the "
        "end. If you only go to the lobby, your seat is kept. You can come back until the table "
        "closes."
    ),
    "host": Phrase(
        "Your server keeps running. In the lobby you can open another table and keep your seat "
        "here. If you give up your seat, a bot takes over; you can come back."
    ),
    "waiting": Phrase(
        "Your server keeps running. In the lobby you can open another table and keep your seat "
        "here. If you give up your seat, the table stays open without you; it closes when nobody "
        "has a seat."
    ),
    "quit": Phrase(
        "Your game is not over. If you quit, your seat is kept ({time}); then a bot takes over. "
        "To come back, join this server again."
    ),
    "lost": Phrase(
        "The game is not over. While you are disconnected, your seat is kept or a bot takes over until you are back."
    ),
}

_QUIT_WITHOUT_LIMIT = Phrase(
    "Your game is not over. If you quit, your seat is kept for you. To come back, join this server again."
)
"""Instead of a time after which a bot takes over, at tables where none does."""


def leave_case(kind: Kind, at: AtTable, *, lost: bool, quitting: bool, kept: bool) -> LeaveCase:
    """Return which case it is to leave the table `at` on a connection of `kind`; practice may be `kept`."""
    if kind == "practice":
        return "kept" if kept else "practice"
    if lost:
        return "lost"
    if quitting:
        return "quit"
    if kind == "host":
        return "waiting" if at.info.status == "waiting" else "host"
    others = [seat for number, seat in enumerate(at.info.seats) if number != at.seat]
    return "players" if any(seat.kind == "human" for seat in others) else "bots"


class LeaveDialog(QuestionDialog[LeaveAnswer]):
    """Asks whether to leave a table, quit the client, or go to the lobby and keep the seat."""

    def __init__(self, case: LeaveCase, clock: TableClock) -> None:
        self.hosts = case in ("host", "waiting")
        """Whether the server keeps running when the table is left."""
        if case == "quit":
            heading = tr("Quit Scoville?")
        else:
            heading = tr("Leave this table?") if self.hosts else tr("Leave this game?")
        consequences = _QUIT_WITHOUT_LIMIT if case == "quit" and clock.absence_ms is None else _CONSEQUENCES[case]
        about = render(consequences.with_fields({"time": absence_terms(clock)}))
        super().__init__(heading, about, [*_list_answers(case, hosts=self.hosts)], stay="stay")


def _list_answers(case: LeaveCase, *, hosts: bool) -> Iterator[Answer[LeaveAnswer]]:
    lobby = Answer[LeaveAnswer]("l", tr("to the lobby"), "lobby")
    if hosts:
        yield lobby
        yield Answer("g", tr("give up my seat"), "leave")
        return
    yield Answer("y", tr("quit") if case == "quit" else tr("leave"), "leave")
    if case not in ("practice", "kept", "lost"):
        yield lobby


class StopDialog(QuestionDialog[bool]):
    """Asks whether to stop the hosted server; `sentences` say who is on it and what is saved."""

    def __init__(self, sentences: Sequence[str]) -> None:
        stop = Answer("y", tr("stop the server"), True)
        super().__init__(tr("Stop your server?"), " ".join(sentences), [stop], False, tr("keep it running"))
