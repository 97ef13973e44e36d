"""Table actions beside moves: start, pause, reactions, rematch, and the finished game.

The dialog of players and spectators, and votes on kicking one of them from the running game.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, Literal, NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.event_text import shared_result
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.changes import Change
from scoville_client.session.daily import is_daily
from scoville_client.session.session import Session
from scoville_client.session.table.plans import parse_plan, write_plan
from scoville_client.session.table.points import explain_scores
from scoville_client.session.table.table import AtTable
from scoville_client.session.table.vote import NO, YES, Vote
from scoville_client.tui import STYLES
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog, ListDialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import SHORT_CHARACTERS, Reaction

_COLUMNS: Final = 3


class ReactDialog(Dialog[Reaction | None]):
    """Returns the reaction whose digit is pressed, or None for any other key."""

    CSS_PATH = STYLES / "chat.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", show=False)]

    def compose(self) -> ComposeResult:
        with Vertical(id="reactions"):
            yield Static(self._reactions_text())
            yield KeyHints(lambda: ((tr("Esc"), tr("back")),))
        yield TooSmall()

    def on_key(self, event: Key) -> None:
        digits = {str(number): reaction for number, reaction in enumerate(REACTIONS, 1)}
        if event.character is not None:
            event.stop()
            self.dismiss(digits.get(event.character))

    def action_back(self) -> None:
        self.dismiss(None)

    def _reactions_text(self) -> Content:
        """List the reactions in columns; a digit stays beside its reaction in narrow terminals."""
        said = [render(reaction.call) for reaction in REACTIONS.values()]
        widths = [max(map(cell_len, said[column::_COLUMNS])) for column in range(_COLUMNS)]
        listed = [
            (str(number), set_cell_size(word, widths[(number - 1) % _COLUMNS])) for number, word in enumerate(said, 1)
        ]
        rows = [_row_text(listed[first : first + _COLUMNS]) for first in range(0, len(listed), _COLUMNS)]
        return Content("\n").join(rows)


def _row_text(reactions: Sequence[Hint]) -> Content:
    parts = [part for digit, word in reactions for part in ((digit, "bold"), f" {word}   ")]
    return Content.assemble(*parts).rstrip()


class TableKeyActions:
    """Asks the user for the details of an action, and requests it at the table of the session; it holds no state."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def _session(self) -> Session:
        return self._shell.session

    @property
    def _at(self) -> AtTable:
        """The table of the session. Raises ScovilleError when there is none: it may close at any moment."""
        at = self._session.table
        if at is None:
            raise ScovilleError(Code.NOT_SEATED, tr("You are not at a table; join one first."))
        return at

    # --- before and in the game -------------------------------------------------------------------------

    def start_game(self) -> None:
        """Start the game; bots take the empty seats."""
        self._shell.send_request(self._session.table_actions.start_game())

    def toggle_ready(self) -> None:
        """Declare the user ready, or no longer ready."""
        self._shell.send_request(self._toggle_ready())

    async def _toggle_ready(self) -> None:
        at = self._at
        await self._session.table_actions.set_ready(at.id, ready=at.seat not in at.info.ready_seats)

    def run_command(self, name: str) -> None:
        """Run a typed command that has no arguments, and show its output."""
        self._shell.send_request(self._run_command(name))

    async def _run_command(self, name: str) -> None:
        commands = self._shell.client.slash_commands
        if lines := await commands.run_command(f"{commands.mark}{name}"):
            self._shell.show_notice(" ".join(lines))

    def plan_moves(self) -> None:
        """Type the next moves of a game by correspondence, with conditions; an empty line forgets them."""
        self._shell.send_request(self._plan_moves())

    async def _plan_moves(self) -> None:
        from scoville_client.session.commands.at_table import plan_lines  # late: the first key waits for this module

        at, requests = self._at, self._session.table_actions
        typed, fault = write_plan(at, await requests.show_plan()), ""
        while True:
            about = tr(
                "Lines are tried from the first when it is your turn; stop ends the plan, an empty line forgets it. "
                "Nobody else sees it. {command} in the chat lists the conditions.",
                command=f"{self._shell.client.slash_commands.mark}plan",
            )
            line = TextLine("3x stop if fact=…; pass", value=typed, fault=fault, max_length=400)
            answer = await self._shell.ask_user(PromptDialog(tr("Plan your moves"), about, tr("plan"), line))
            if answer is None:
                return
            try:
                lines, most = parse_plan(at, answer)
                reply = await requests.plan_moves(lines, most)
            except (ValueError, ScovilleError) as error:
                # The typed plan stays: nobody types it again for one wrong word.
                typed, fault = answer, error_text(error) if isinstance(error, ScovilleError) else str(error)
                continue
            self._shell.show_notice(plan_lines(at, reply)[0])
            return

    def choose_reaction(self) -> None:
        """Choose a reaction and show it to the table."""
        if self._session.table is not None and self._shell.client.is_multiplayer:
            self._shell.open_dialog(ReactDialog(), self._send_reaction)

    def _send_reaction(self, reaction: Reaction | None) -> None:
        at = self._session.table
        if reaction is not None and at is not None:
            self._shell.send_request(self._session.chat.send_reaction(at.id, reaction))

    # --- players and spectators -------------------------------------------------------------------------

    def show_users(self) -> None:
        """List the players and spectators; a host may kick them or hand the table over."""
        self._shell.send_request(self._show_users())

    def kick_user(self) -> None:
        """Choose a player or spectator to kick, and enter the reason."""
        self._shell.send_request(self._kick_user())

    def vote_on_kick(self) -> None:
        """Start a vote to kick a player, or answer the one that runs."""
        self._shell.send_request(self._vote_on_kick())

    async def _vote_on_kick(self) -> None:
        await VoteActions(self._shell, self._at).answer_or_start()

    def transfer_host(self) -> None:
        """Choose the new host."""
        self._shell.send_request(self._transfer_host())

    async def _show_users(self) -> None:
        opened = self._at
        # Asked again: users come and go while the list is open.
        chosen = await self._shell.ask_user(TableUsersDialog(lambda: self._session.table or opened))
        if chosen is None:
            return
        if chosen.kind == "invite":
            LobbyActions(self._shell).invite_user()
        elif chosen.kind == "kick" and self._at.info.status == "playing" and chosen.name in other_players(self._at):
            await VoteActions(self._shell, self._at).start_vote(chosen.name)
        elif chosen.kind == "kick":
            await self._confirm_kick(chosen.name)
        else:
            await self._confirm_host(chosen.name)

    async def _kick_user(self) -> None:
        name = await self._choose_name(tr("Kick which player?"), other_players(self._at) + self._at.audience.spectators)
        if name is not None:
            await self._confirm_kick(name)

    async def _confirm_kick(self, name: str) -> None:
        heading = tr("Kick {name}?", name=name)
        about = tr("This is permanent. Everybody here can read the reason; you can leave it empty.")
        prompt = PromptDialog(heading, about, tr("next"), TextLine(tr("reason"), max_length=SHORT_CHARACTERS))
        reason = await self._shell.ask_user(prompt)
        if reason is None:
            return
        if await self._shell.ask_user(ConfirmDialog(heading, _irreversible_text(reason), tr("kick"))):
            await self._session.table_actions.kick_user(self._at.id, name, reason)

    async def _transfer_host(self) -> None:
        name = await self._choose_name(tr("Who becomes the host?"), other_players(self._at))
        if name is not None:
            await self._confirm_host(name)

    async def _confirm_host(self, name: str) -> None:
        """Transfer the host role after a question: only the new host can undo it."""
        heading = tr("Make {name} the host?", name=name)
        about = tr("Then only {name} can start the game and kick players, and only {name} can undo this.", name=name)
        if not await self._shell.ask_user(ConfirmDialog(heading, about, tr("make host"))):
            return
        names = [seat.name for seat in self._at.info.seats]
        if name in names:
            await self._session.table_actions.transfer_host(self._at.id, names.index(name))

    async def _choose_name(self, heading: str, names: list[str]) -> str | None:
        if not names:
            self._shell.show_notice(tr("Nobody else is here."))
            return None
        return await self._shell.ask_user(
            PickDialog(heading, lambda: [Item(name, name) for name in names], tr("choose"))
        )

    # --- watching ---------------------------------------------------------------------------------------

    def next_point_of_view(self) -> None:
        """Watch from the next player's place; as a commentator, see the next player's hand."""
        at = self._session.table
        if at is None:
            return
        if at.key:
            self._shell.send_request(self._session.watch_table(at.id, at.key, at.next_point_of_view()))
        else:
            at.viewpoint = at.next_point_of_view()

    def watch_with_key(self) -> None:
        """See all hands with the commentators' key."""
        self._shell.send_request(self._watch_with_key())

    async def _watch_with_key(self) -> None:
        if not self._at.info.settings.commentary:
            self._shell.show_notice(tr("This table has no commentators."))
            return
        key = self._session.lobby.commentary_keys.get(self._at.id)
        if not key:
            about = tr("The host has the key. With it you see the hand of one player at a time.")
            key = await self._shell.ask_user(
                PromptDialog(tr("The commentators' key"), about, tr("watch"), TextLine(hidden=True))
            )
        if key:
            await self._session.watch_table(self._at.id, key, Seat(0))

    # --- after the game ---------------------------------------------------------------------------------

    def open_rematch(self) -> None:
        """Play again with the same players; in practice the game starts at once."""
        self._shell.send_request(self._open_rematch())

    async def _open_rematch(self) -> None:
        if is_daily(self._at.info):
            await self._compare_daily()
            return
        if self._at.info.tournament is not None:
            self._shell.navigation.open_tournaments(self._at.info.tournament)
            return
        if self._at.notes.next is None and self._at.seat is None:
            self._shell.show_notice(tr("Only the players can start a rematch; when they do, you can watch it."))
            return
        await self._session.join_rematch()
        if not self._shell.client.is_multiplayer:
            await self._session.table_actions.start_game()
        await self._shell.navigation.open_table()

    def compare_daily(self) -> None:
        """Compare this game with those of others at the same deal."""
        if is_daily(self._at.info):
            self._shell.send_request(self._compare_daily())

    async def _compare_daily(self) -> None:
        """Open the results of the deal of this table."""
        shown = await self._session.daily.show_deals()
        deal = next((deal for deal in shown.deals if deal.deal == self._at.info.deal), None)
        if deal is not None:
            self._shell.navigation.open_daily(deal.day)

    def copy_text(self) -> None:
        """Copy the result, or before the game how others join, to the clipboard of the user's terminal."""
        at = self._at
        if at.result is not None:
            self._shell.copy_text(shared_result(at.game.info.title, at.result, at.names, explain_scores(at)))
            return
        found = self._shell.client.make_invitation()
        text = next((way.typed for way in found.ways), found.code)
        if text:
            self._shell.copy_text(text)
        else:
            self._shell.show_notice(tr("Nobody else can join."))

    def save_game(self) -> None:
        """Save the finished game as a file, and show where."""
        if self._shell.offer_file is not None:
            from scoville_client.replays.after_game import offer_file

            self._shell.send_request(offer_file(self._session, self._shell.offer_file, self._shell.show_notice))
            return
        if self._shell.is_hosted:
            self._shell.show_notice(tr("No file can be saved from here. In the line mode, save writes the game out."))
            return
        from scoville_client.replays.after_game import save_file

        self._shell.send_request(save_file(self._session, self._shell.show_notice))


def _irreversible_text(reason: str) -> str:
    """Write the reason for a kick as all users at the table will read it."""
    cannot = tr("This cannot be undone.")
    return f"{reason}\n\n{cannot}" if reason else cannot


# --- players and spectators -------------------------------------------------------------------------


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
    """Lists players and spectators of the table that `at` returns; returns the act on one of them, or None."""

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
        """Return the act on the marked user; nothing for an empty seat, a bot or oneself."""
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
    """Name the spectators, and the commentators who have left or only poll the table."""
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
