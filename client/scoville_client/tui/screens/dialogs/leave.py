"""Leave dialogs: questions before leaving a table, quitting in the middle of a game, or stopping a hosted server."""

from collections.abc import Sequence
from typing import ClassVar, Literal

from textual.binding import Binding, BindingType

from scoville_client.i18n.clock_text import absence_terms
from scoville_client.i18n.language import render, tr
from scoville_client.session.start_options import Kind
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.dialogs.question import QuestionDialog
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

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer('leave')", "leave", show=False),
        Binding("g", "answer('give up')", "give up", show=False),
        Binding("l", "answer('lobby')", "lobby", show=False),
    ]
    SMALL_KEYS = QuestionDialog.SMALL_KEYS | {"g", "l"}

    def __init__(self, case: LeaveCase, clock: TableClock) -> None:
        super().__init__()
        self._case = case
        self._clock = clock

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the answers of the case."""
        if action != "answer":
            return True
        answers = {"give up" if self.hosts else "leave", *(["lobby"] if self._has_lobby else [])}
        return parameters[0] in answers

    def action_answer(self, answer: Literal["leave", "lobby", "give up"]) -> None:
        self.dismiss("leave" if answer == "give up" else answer)

    def action_stay(self) -> None:
        self.dismiss("stay")

    @property
    def hosts(self) -> bool:
        """Whether the server keeps running when the table is left."""
        return self._case in ("host", "waiting")

    @property
    def _has_lobby(self) -> bool:
        return self._case not in ("practice", "kept", "lost")

    def heading_text(self) -> str:
        if self._case == "quit":
            return tr("Quit Scoville?")
        return tr("Leave this table?") if self.hosts else tr("Leave this game?")

    def about_text(self) -> str:
        return render(_CONSEQUENCES[self._case].with_fields({"time": absence_terms(self._clock)}))

    def list_answers(self) -> Sequence[tuple[str, str]]:
        lobby = [("l", tr("to the lobby"))] if self._has_lobby else []
        if self.hosts:
            return [*lobby, ("g", tr("give up my seat"))]
        return [("y", tr("quit") if self._case == "quit" else tr("leave")), *lobby]


class StopDialog(QuestionDialog[bool]):
    """Asks whether to stop the hosted server; `sentences` say who is on it and what is saved."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "stop", "stop", show=False)]

    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__()
        self._sentences = sentences

    def heading_text(self) -> str:
        return tr("Stop your server?")

    def about_text(self) -> str:
        return " ".join(self._sentences)

    def list_answers(self) -> Sequence[tuple[str, str]]:
        return [("y", tr("stop the server"))]

    def stay_text(self) -> str:
        return tr("keep it running")

    def action_stop(self) -> None:
        self.dismiss(True)

    def action_stay(self) -> None:
        self.dismiss(False)
