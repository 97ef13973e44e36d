"""The players and spectators of a table as a dialog, and votes on kicking one of them from the running game."""

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.i18n.language import tr
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.session.changes import Change
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.vote import NO, YES, Vote
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import ListDialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import KeyHints
from scoville_client.tui.widgets.menu import Item, Menu


class VoteActions:
    """Asks the user about a vote, and requests it at the table `at`."""

    def __init__(self, shell: Shell, at: AtTable) -> None:
        self._shell = shell
        self._at = at

    async def answer_or_start(self) -> None:
        """Answer the open vote, or choose a player and start one."""
        vote = self._at.vote
        if vote is None:
            await self._choose_player()
        elif vote.waits_for(self._at.seat):
            await self._answer_vote(vote)
        else:
            self._shell.show_notice(tr("You have voted already, or the vote is about you."))

    async def start_vote(self, name: str) -> None:
        """Start a vote on a player, after a question."""
        heading = tr("Start a vote to kick {name}?", name=name)
        about = tr(
            "More than half of the other players must agree, at least two. A bot then plays on, and this cannot be "
            "undone. In a rated game all who vote for it come last in the rating. If the vote fails, you cannot start "
            "another one for five minutes."
        )
        if await self._shell.ask_user(ConfirmDialog(heading, about, tr("start the vote"))):
            names = [seat.name for seat in self._at.info.seats]
            # While the question was open, the player may have left.
            if name in names:
                await self._session_vote(names.index(name), agree=True)

    async def _choose_player(self) -> None:
        names = other_players(self._at)
        if len(names) < 2:
            self._shell.show_notice(tr("A kick needs the votes of two other players."))
            return
        items = [Item(name, name) for name in names]
        name = await self._shell.ask_user(PickDialog(tr("Kick which player?"), lambda: items, tr("choose")))
        if name is not None:
            await self.start_vote(name)

    async def _answer_vote(self, vote: Vote) -> None:
        name = self._at.names[vote.against]
        items = [Item(NO, tr("no: {name} stays", name=name)), Item(YES, tr("yes: kick {name}", name=name))]
        about = tr(
            "After a kick a bot plays on. In a rated game all who vote for it come last in the rating. "
            "Everybody sees how you vote."
        )
        dialog = PickDialog(tr("Kick {name}?", name=name), lambda: items, tr("vote"), about=about)
        answer = await self._shell.ask_user(dialog)
        if answer is not None:
            await self._session_vote(vote.against, agree=answer == YES)

    async def _session_vote(self, against: int, *, agree: bool) -> None:
        await self._shell.session.table_actions.vote_on_kick(self._at.id, against, agree=agree)


def other_players(at: AtTable) -> list[str]:
    """Name the users who sit at a table, without this one."""
    return [each.name or "" for seat, each in enumerate(at.info.seats) if each.kind == "human" and seat != at.seat]


_LABEL = 18


class TableUserAction(NamedTuple):
    """An action on the player or spectator `name`; an invitation has no name yet."""

    kind: Literal["kick", "host", "invite"]
    name: str = ""


class TableUsersDialog(ListDialog[TableUserAction | None]):
    """Lists players and spectators of the table that `at` returns; returns what to do with one of them, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,o", "back", show=False),
        Binding("x", "answer('kick')", show=False),
        Binding("h", "answer('host')", show=False),
        Binding("i", "answer('invite')", show=False),
    ]

    def __init__(self, at: Callable[[], AtTable]) -> None:
        super().__init__()
        self._at = at

    def compose(self) -> ComposeResult:
        with Vertical(classes="box wide"):
            yield Static(tr("At this table"), classes="heading")
            yield Menu([*self._list_items()], label_width=_LABEL)
            if self._key:
                key = tr("The commentators' key: {key}. It lets a spectator see all hands (K).", key=self._key)
                yield Static(key, classes="about", markup=False)
            yield KeyHints(self._list_hints)
        yield TooSmall()

    def session_changed(self, change: Change) -> None:  # noqa: ARG002 - the table knows it
        if self.shell.session.table is None:
            return
        self.query_one(Menu).show_items([*self._list_items()])
        self.query_one(KeyHints).rewrite_hints()
        self.fit_menu()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return the actions of this user: hosts kick and transfer the host, players invite and vote on a kick."""
        if action != "answer":
            return True
        at = self._at()
        if parameters == ("kick",):
            return self._kicks
        return at.seat is not None if parameters == ("invite",) else at.hosting

    def action_answer(self, kind: Literal["kick", "host", "invite"]) -> None:
        """Return what to do with the marked user; nothing for an empty seat, a bot or oneself."""
        name = "" if kind == "invite" else self.query_one(Menu).marked or ""
        if kind == "invite" or name in self._list_names(spectators=kind == "kick" and self._at().hosting):
            self.dismiss(TableUserAction(kind, name))

    def on_menu_taken(self, message: Menu.Taken) -> None:
        if message.item in {*self._list_names(spectators=True), self.shell.session.name}:
            self.shell.navigation.open_profile(message.item)

    def action_back(self) -> None:
        self.dismiss(None)

    @property
    def _key(self) -> str:
        """The commentators' key, if the user opened the table."""
        return self.shell.session.lobby.commentary_keys.get(self._at().id, "")

    @property
    def _kicks(self) -> bool:
        """Whether the user may kick a player: as the host, or by a vote in the running game."""
        at = self._at()
        return at.hosting or (at.seat is not None and at.info.status == "playing" and len(other_players(at)) > 1)

    def _list_names(self, *, spectators: bool) -> list[str]:
        at = self._at()
        return [*other_players(at), *(_audience_items(at) if spectators else ())]

    def _list_items(self) -> Iterator[Item]:
        at = self._at()
        for seat, each in enumerate(at.info.seats):
            yield Item(each.name or f"{seat}", each.name or tr("free seat"), self._describe_seat(at, seat))
        for name in _audience_items(at):
            mine = at.seat is None and name == self.shell.session.name
            role = tr("spectator (you)") if mine else tr("spectator")
            role = tr("{role}, sees hands", role=role) if name in at.audience.commentators else role
            claimed = tr("claimed name") if name in at.audience.claimed else ""
            yield Item(name, name, ", ".join(filter(None, (role, claimed, self._describe_role(name)))))

    def _describe_role(self, name: str) -> str:
        return self.shell.session.lobby.describe_role(name)

    def _describe_seat(self, at: AtTable, seat: int) -> str:
        info = at.info.seats[seat]
        signs = [_signs_text(at, seat), self._describe_role(info.name or "") if info.kind == "human" else ""]
        return ", ".join(filter(None, signs))

    def _list_hints(self) -> list[tuple[str, str]]:
        at = self._at()
        hints = [(tr("Enter"), tr("profile"))]
        hints += [("x", tr("kick"))] if self._kicks else []
        hints += [("h", tr("make host"))] if at.hosting else []
        hints += [("i", tr("invite"))] if at.seat is not None else []
        return [*hints, (tr("Esc"), tr("close"))]


def _audience_items(at: AtTable) -> list[str]:
    """Name the spectators, and the commentators who have left or only request the table now and then."""
    return [*dict.fromkeys([*at.audience.spectators, *at.audience.commentators])]


def _signs_text(at: AtTable, seat: int) -> str:
    info = at.info.seats[seat]
    signs = [
        tr("seat {number}", number=seat + 1),
        tr("you") if seat == at.seat else "",
        tr("host") if seat == at.info.host else "",
        tr("claimed name") if info.claimed else "",
        bot_of_level(info.level) if info.kind == "bot" else "",
        tr("away") if info.kind == "human" and not info.connected else "",
        tr("ready") if at.info.status == "waiting" and seat in at.info.ready_seats else "",
    ]
    return ", ".join(filter(None, signs))
