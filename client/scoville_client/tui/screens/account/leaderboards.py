"""Leaderboards dialog: the ranked players of a game."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from scoville_client.i18n.language import format_number, tr
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.screens.account.profile import games_played, rating_bar
from scoville_client.tui.screens.dialogs.dialog import AnswerDialog
from scoville_client.tui.widgets.key_hints import Hint
from scoville_client.tui.widgets.menu import Item, Menu
from scoville_shared.protocol.messages import LeaderboardEntry

_NAME = 17
_BAR = 22
_NARROW = 60
_CAUTION = 3
"""How many times its uncertainty (sigma) a rating lies below the best estimate (mu)."""


class LeaderboardDialog(AnswerDialog[None]):
    """Shows one game at a time; left and right change the game, Enter opens a profile."""

    LABEL_WIDTH = _NAME
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("left", "game(-1)", show=False),
        Binding("right,tab", "game(1)", show=False),
        Binding("L,f2", "do('language')", show=False),
    ]

    def __init__(self, game: str = "") -> None:
        super().__init__()
        self._game = game
        self._leaders: Sequence[LeaderboardEntry] | None = None

    def on_mount(self) -> None:
        self.action_game(0)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        self.shell.navigation.open_profile(message.item)

    def action_game(self, step: int) -> None:
        games = self.shell.session.games
        if not games:
            return
        slugs = [game.slug for game in games]
        at = slugs.index(self._game) if self._game in slugs else 0
        now = games[(at + step) % len(games)]
        self._game = now.slug
        self.fill_menu()
        self.send_request(self.shell.session.account.request_leaders(now.slug), partial(self._show_leaders, now.slug))

    def _show_leaders(self, game: str, leaders: Sequence[LeaderboardEntry]) -> None:
        if game == self._game:
            self._leaders = leaders
            self.fill_menu()
            self.query_one(Menu).mark_item(self.shell.session.name)

    def heading_text(self) -> str:
        titles = {game.slug: game.title for game in self.shell.session.games}
        return tr("Leaderboard of {game}", game=titles.get(self._game, ""))

    def about_text(self) -> str:
        return tr("Nobody is ranked yet: you need a claimed name and a few games.") if self._leaders == [] else ""

    def list_items(self) -> list[Item]:
        return [self._make_item(leader) for leader in self._leaders or ()]

    def list_hints(self) -> Sequence[Hint]:
        return (("← →", tr("game")), (tr("Enter"), tr("profile")), (tr("Esc"), tr("close")))

    def _make_item(self, leader: LeaderboardEntry) -> Item:
        you = f" {tr('(you)')}" if leader.name == self.shell.session.name else ""
        bar = _BAR if self.size.width >= _NARROW else 0
        drawn = f" {rating_bar(leader.rating + _CAUTION * leader.sigma, leader.sigma, bar)} " if bar else "  "
        label = f"{leader.place:>3}. {leader.name}{you}"
        played = games_played(leader.game_count)
        return Item(leader.name, fit_text(label, _NAME), f"{format_number(leader.rating):>5}{drawn}{played}")
