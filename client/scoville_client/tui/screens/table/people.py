"""Who is at a table: in its seats, and looking on."""

from collections.abc import Callable, Hashable, Iterator
from typing import ClassVar, Literal, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.widgets import Static

from scoville_client.i18n.language import words
from scoville_client.session.changes import Change
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.page import Dialog, TooSmall, keys
from scoville_client.tui.widgets.menu import Item, Menu

_AROUND = 10
"""Rows of the window that the list leaves to what is around it."""
_LABEL = 18


class Deed(NamedTuple):
    """What a person of the company is to have done to them, or that somebody is to be invited."""

    kind: Literal["kick", "host", "invite"]
    name: str = ""


class Company(Dialog[Deed | None]):
    """Shows who is at the table that `at` gives, while they come and go; answers with what is to be done, or None."""

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
        """Arrange the list."""
        with Vertical(classes="box wide"):
            yield Static(words("At this table"), classes="heading")
            yield Menu([*self._items()], label_width=_LABEL)
            if self._key:
                key = words(
                    "The commentators' key: {key}. Whoever has it may watch and see all hands (K).", key=self._key
                )
                yield Static(key, classes="about", markup=False)
            yield Static(keys(*self._keys()), classes="keys")
        yield TooSmall()

    @property
    def meaning(self) -> Hashable:
        """Which line Enter takes, where others have changed that."""
        return tuple(menu.jumps for menu in self.query(Menu))

    def on_resize(self, event: Resize) -> None:
        """Give the list the rows it needs, as far as the window has them."""
        super().on_resize(event)
        self._fit()

    def heard(self, change: Change) -> None:  # noqa: ARG002 - whatever it was, the table knows
        """Show who is there now."""
        if self.scoville.session.table is None:
            return
        self.query_one(Menu).fill([*self._items()])
        self._fit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a host send people away and make somebody else the host, and whoever sits there invite."""
        if action != "answer":
            return True
        return self._at().seat is not None if parameters == ("invite",) else self._at().hosting

    def action_answer(self, kind: Literal["kick", "host", "invite"]) -> None:
        """Answer with what is to be done; nothing is done to an empty seat, to a bot or to me."""
        name = "" if kind == "invite" else self.query_one(Menu).marked or ""
        if kind == "invite" or name in self._people(looking_on=kind == "kick"):
            self.dismiss(Deed(kind, name))

    def on_menu_taken(self, message: Menu.Taken) -> None:
        """Show what is known of the marked one."""
        if message.item in {*self._people(looking_on=True), self.scoville.session.name}:
            self.scoville.others.profile(message.item)

    def action_back(self) -> None:
        """Do nothing."""
        self.dismiss(None)

    @property
    def _key(self) -> str:
        """The key of the commentators, for who opened the table."""
        return self.scoville.session.commentary_keys.get(self._at().id, "")

    def _people(self, *, looking_on: bool) -> list[str]:
        at = self._at()
        seated = [each.name for seat, each in enumerate(at.info.seats) if each.kind == "human" and seat != at.seat]
        return [*seated, *(at.spectators if looking_on else ())]

    def _items(self) -> Iterator[Item]:
        at = self._at()
        for seat, each in enumerate(at.info.seats):
            yield Item(each.name or f"{seat}", each.name or words("free"), _signs(at, seat))
        for name in at.spectators:
            mine = at.seat is None and name == self.scoville.session.name
            yield Item(name, name, words("looks on (you)") if mine else words("looks on"))

    def _keys(self) -> list[tuple[str, str]]:
        at = self._at()
        host = [("x", words("send away")), ("h", words("make host"))] * at.hosting
        invite = [("i", words("invite"))] * (at.seat is not None)
        return [(words("Enter"), words("who is it")), *host, *invite, (words("Esc"), words("close"))]

    def _fit(self) -> None:
        menu = self.query_one(Menu)
        menu.styles.height = max(1, min(len(menu.items), self.size.height - _AROUND))


def _signs(at: AtTable, seat: int) -> str:
    info = at.info.seats[seat]
    signs = [
        words("seat {number}", number=seat + 1),
        words("you") if seat == at.seat else "",
        words("host") if seat == at.info.host else "",
        words("bot") if info.kind == "bot" else "",
        words("away") if info.kind == "human" and not info.connected else "",
        words("ready") if at.info.status == "waiting" and seat in at.info.ready else "",
    ]
    return ", ".join(filter(None, signs))
