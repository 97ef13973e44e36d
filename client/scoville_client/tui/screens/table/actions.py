"""Table actions beside moves: start, pause, reactions, players and spectators, rematch, and the finished game."""

from collections.abc import Sequence
from typing import ClassVar, Final

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
from scoville_client.i18n.reactions import REACTIONS
from scoville_client.session.daily import is_daily
from scoville_client.session.session import Session
from scoville_client.session.table.plans import parse_plan, write_plan
from scoville_client.session.table.points import explain_scores
from scoville_client.session.table.table import AtTable
from scoville_client.tui import STYLES
from scoville_client.tui.screens.base import TooSmall
from scoville_client.tui.screens.dialogs.dialog import Dialog
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.dialogs.prompt import PromptDialog, TextLine
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.screens.lobby.actions import LobbyActions
from scoville_client.tui.screens.table.users import TableUsersDialog, VoteActions, other_players
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.menu import Item
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Reaction

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


_REASON_LENGTH = 64


class TableKeyActions:
    """Asks the user what an action needs, and requests it at the table of the session; it holds no state."""

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
        chosen = await self._shell.ask_user(TableUsersDialog(lambda: self._session.table or opened))
        if chosen is None:
            return
        if chosen.kind == "invite":
            LobbyActions(self._shell).show_users()
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
        prompt = PromptDialog(heading, about, tr("next"), TextLine(tr("reason"), max_length=_REASON_LENGTH))
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
