"""Daily dialogs: the latest deals with the streak, the traveller, which lists all results of a deal, and others' games.

The game of another player is shown as that player saw it, from the move where it parted from the user's own.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from rich.cells import cell_len
from textual.binding import Binding, BindingType

from scoville_client.i18n import daily_text
from scoville_client.i18n.language import tr
from scoville_client.replays.look_back import LookBack
from scoville_client.session.changes import Change
from scoville_client.session.daily import Daily
from scoville_client.session.table.table import AtTable
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.screens.dialogs.dialog import AnswerDialog, columns_of_box
from scoville_client.tui.screens.replay.look_back import LookBackScreen
from scoville_client.tui.screens.replay.replay_bar import Piece
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.key_hints import Hint, KeyHints
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import CompareDailyReply, DailyDeal, DailyResult, GameInfo, ShowDailyReply

_DAY: Final = 11
_NAME: Final = 18
_NARROW: Final = 60
_AROUND: Final = 5
"""Columns of a row before its day, after it, and at its end."""


class DailyDialog(AnswerDialog[int | None]):
    """Lists the latest deals; Enter returns the day of one to play, or opens its results."""

    LABEL_WIDTH = _DAY
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,t", "back", show=False),
        Binding("y", "share", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def on_mount(self) -> None:
        self.fill_menu()
        self.send_request(self._daily.show_deals(), lambda _: self.fill_menu())

    def on_menu_taken(self, message: Menu.Taken) -> None:
        deal = self._daily.find_deal(int(message.item))
        if deal is None:
            return
        if deal.state in ("open", "playing") and deal.closes_in_ms is not None:
            self.dismiss(deal.day)
        else:
            self.shell.open_dialog(TravellerDialog(deal.day))

    def on_menu_marked(self) -> None:
        for hints in self.query(KeyHints):
            hints.rewrite_hints()

    def action_share(self) -> None:
        """Copy the text of the marked deal, if the user has finished it."""
        deal = self._marked
        if deal is None or deal.your_result is None:
            self.show_notice(tr("Finish a daily deal first; then there is something to share."))
            return
        self.send_request(self._daily.compare_results(deal.day), self._copy_result)

    def action_back(self) -> None:
        self.dismiss(None)

    def _copy_result(self, reply: CompareDailyReply) -> None:
        self.show_notice(copy_result(self.shell, reply, ascii_only=not self.shell.terminal.half_blocks))

    @property
    def _daily(self) -> Daily:
        return self.shell.session.daily

    @property
    def _games(self) -> Sequence[GameInfo]:
        return self.shell.session.games

    @property
    def _marked(self) -> DailyDeal | None:
        marked = self.query_one(Menu).marked
        return None if marked is None else self._daily.find_deal(int(marked))

    def heading_text(self) -> str:
        return tr("Daily deal")

    def about_text(self) -> str:
        shown = self._daily.shown
        aim = tr("Everybody gets the same cards against the same bots, once.")
        return aim if shown is None else f"{aim}\n{daily_text.describe_streak(shown)}"

    def list_items(self) -> list[Item]:
        shown: ShowDailyReply | None = self._daily.shown
        return [self._make_item(deal) for deal in (shown.deals if shown else ())]

    def _make_item(self, deal: DailyDeal) -> Item:
        title = daily_text.game_title(deal.game, self._games)
        room = columns_of_box(self.size.width) - _DAY - _AROUND
        whole = f"{title}, {daily_text.bots_text(deal)} · {daily_text.state_text(deal)}"
        texts = [whole, f"{title} · {daily_text.state_text(deal)}", *daily_text.list_short_states(deal, title)]
        # The row of keys has the word for Enter: that one goes first.
        text = next((text for text in texts if cell_len(text) <= room), texts[-1])
        return Item(str(deal.day), fit_text(daily_text.weekday_text(deal.day), _DAY), text)

    def list_hints(self) -> Sequence[Hint]:
        deal = self._marked if self.query(Menu) else None
        plays = deal is None or (deal.state in ("open", "playing") and deal.closes_in_ms is not None)
        enter = tr("play") if plays else tr("results")
        return ((tr("Enter"), enter), ("y", tr("copy")), (tr("Esc"), tr("close")))


class TravellerDialog(AnswerDialog[None]):
    """Lists the results of a deal; Enter shows a game from the move at which it differs from the user's own."""

    LABEL_WIDTH = _NAME
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", show=False),
        Binding("y", "share(False)", show=False),
        Binding("Y", "share(True)", show=False),
        Binding("s", "save", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, day: int) -> None:
        super().__init__()
        self._day = day
        self._reply: CompareDailyReply | None = None

    def on_mount(self) -> None:
        self.send_request(self._load_comparison(), self._show_reply)

    async def _load_comparison(self) -> CompareDailyReply:
        await self._daily.show_deals()
        return await self._daily.compare_results(self._day)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        result = self._find_result(message.item)
        if result is not None:
            self.send_request(
                self._daily.replay_result(self._day, result), lambda found: self._show_game(result, *found)
            )

    def action_share(self, ascii_only: bool) -> None:
        """Copy three lines about the user's result: in Unicode, or in ASCII."""
        if self._reply is None or self._reply.daily_deal.your_result is None:
            self.show_notice(tr("Finish a daily deal first; then there is something to share."))
            return
        self.show_notice(copy_result(self.shell, self._reply, ascii_only=ascii_only))

    def action_save(self) -> None:
        """Save the marked game as a file, once its seed is revealed."""
        result = self._find_result(self.query_one(Menu).marked or "")
        if result is None:
            return
        if self.shell.is_hosted:
            self.show_notice(tr("No file can be saved from here. In the line mode, daily export writes it out."))
            return
        self.send_request(self._daily.export_result(self._day, result.id), self._save_lines)

    def action_back(self) -> None:
        self.dismiss(None)

    def _save_lines(self, lines: Sequence[str]) -> None:
        from scoville_client.replays.after_game import save_game

        assert self._reply is not None, "a result was marked"
        deal = self._reply.daily_deal
        try:
            path = save_game(lines, deal.game, deal.deal)
        except ScovilleError as error:
            self.show_notice(error.message, error=True)
        else:
            self.show_notice(tr("Game saved as: {path}", path=str(path)))

    def _show_game(self, result: DailyResult, at: AtTable, since: int) -> None:
        self.shell.navigation.open_daily_game(at, since, daily_text.result_name(result), self._day)

    @property
    def _daily(self) -> Daily:
        return self.shell.session.daily

    def _find_result(self, number: str) -> DailyResult | None:
        return next((each for each in (self._reply.results if self._reply else ()) if each.id == number), None)

    def _show_reply(self, reply: CompareDailyReply) -> None:
        self._reply = reply
        self.fill_menu()

    def heading_text(self) -> str:
        return tr("Results of the daily deal")

    def about_text(self) -> str:
        if self._reply is None:
            return tr("The results are being fetched.")
        return "\n".join(daily_text.summary_lines(self._reply, self.shell.session.games))

    def list_items(self) -> list[Item]:
        return [self._make_item(result) for result in (self._reply.results if self._reply else ())]

    def _make_item(self, result: DailyResult) -> Item:
        parted = daily_text.parting_text(result)
        wide = self.size.width >= _NARROW
        text = daily_text.rank_text(result) if wide else daily_text.short_rank_text(result)
        return Item(
            result.id, fit_text(daily_text.result_name(result), _NAME), f"{text} · {parted}" if parted else text
        )

    def list_hints(self) -> Sequence[Hint]:
        return ((tr("Enter"), tr("watch")), ("y", tr("copy")), ("s", tr("save")), (tr("Esc"), tr("close")))


def copy_result(shell: Shell, reply: CompareDailyReply, *, ascii_only: bool) -> str:
    """Copy three lines about the user's result; returns the view that says so."""
    session = shell.session
    text = daily_text.share_text(reply, session.daily.shown, session.games, ascii_only=ascii_only)
    return shell.copy_text(text)


class DailyGameScreen(LookBackScreen):
    """Shows a finished game, whatever happens at tables; then the results of its `day` again."""

    def __init__(self, tape: LookBack, pace: float, player: str, day: int) -> None:
        super().__init__(tape, pace)
        self._player = player
        self._day = day

    def session_changed(self, change: Change) -> None:
        """Show the same replay whatever happens: it is of a game that is over."""

    def note_end(self) -> None:
        """Stay at the last position: a game that is over has no present to go back to."""

    def pieces_before(self) -> Iterator[Piece]:
        yield Piece(self._player, "caption")

    def pieces_after(self) -> Iterator[Piece]:
        if not self.has_class("-tall"):
            yield Piece(tr("Esc: back"), "muted")

    def _go_to_present(self) -> None:
        self.shell.navigation.close_page(self)
        self.shell.call_later(self.shell.navigation.open_daily, self._day)

    def _show_keys(self) -> None:
        for bar in self.children_of(KeyBar):
            bar.show_keys(self.KEY_CONTEXT, (tr("Esc"), tr("back")))
