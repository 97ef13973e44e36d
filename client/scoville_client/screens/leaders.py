"""The best at each game."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from scoville_client.boards.canvas import fitted
from scoville_client.language import number, words
from scoville_client.screens.asking import AskingDialog
from scoville_client.screens.page import TooSmall, keys
from scoville_client.widgets.menu import Item, Menu
from scoville_client.widgets.notice import Notice
from scoville_client.widgets.standing import doubt_bar, games_played
from scoville_shared.wire.messages import Leader

_NAME = 17
_BAR = 22
_NARROW = 60
_CAUTION = 3
"""How many times its doubt a rating lies below the best estimate."""


class LeadersDialog(AskingDialog[None]):
    """A leaderboard a game; left and right change the game, Enter shows who somebody is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False),
        Binding("left", "game(-1)", show=False),
        Binding("right,tab", "game(1)", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, game: str = "") -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        """Arrange the game, its best, and the keys."""
        with Vertical(classes="box wide tall"):
            yield Static(classes="heading", id="game", markup=False)
            yield Static(classes="about", id="nobody", markup=False)
            best = Menu([], label_width=_NAME)
            best.styles.height = "1fr"
            yield best
            yield Notice()
            yield Static(
                keys(("← →", words("game")), (words("Enter"), words("who is it")), (words("Esc"), words("close"))),
                classes="keys",
            )
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin with the game one came from."""
        self.action_game(0)

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Show who somebody is."""
        self.scoville.others.profile(message.item)

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_game(self, step: int) -> None:
        """Go over to another game."""
        games = self.scoville.session.games
        slugs = [game.slug for game in games]
        at = slugs.index(self._game) if self._game in slugs else 0
        now = games[(at + step) % len(games)]
        self._game = now.slug
        self.query_one("#game", Static).update(words("The best at {game}", game=now.title))
        self.ask(self._fetch(now.slug))

    def reword(self) -> None:
        """Say everything again, in another language."""
        self.refresh(recompose=True)
        self.call_after_refresh(self.action_game, 0)

    async def _fetch(self, game: str) -> None:
        leaders = await self.scoville.session.account.leaders(game)
        if game != self._game:
            return
        nobody = "" if leaders else words("Nobody is ranked yet: that takes a name of one's own and some games.")
        self.query_one("#nobody", Static).update(nobody)
        self.query_one("#nobody").display = bool(nobody)
        menu = self.query_one(Menu)
        menu.fill([self._item(leader) for leader in leaders])
        menu.mark(self.scoville.session.name)

    def _item(self, leader: Leader) -> Item:
        you = f" {words('(you)')}" if leader.name == self.scoville.session.name else ""
        bar = _BAR if self.size.width >= _NARROW else 0
        drawn = f" {doubt_bar(leader.rating + _CAUTION * leader.sigma, leader.sigma, bar)} " if bar else "  "
        label = f"{leader.place:>3}. {leader.name}{you}"
        played = games_played(leader.games)
        return Item(leader.name, fitted(label, _NAME), f"{number(leader.rating):>5}{drawn}{played}")
