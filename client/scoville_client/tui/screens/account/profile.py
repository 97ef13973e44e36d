"""What is known of a player."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from scoville_client.i18n.language import words
from scoville_client.tui.screens.account.profile_rows import rows_of
from scoville_client.tui.screens.dialogs.request_dialog import AskingDialog
from scoville_client.tui.screens.page import TooSmall, keys
from scoville_client.tui.widgets.live_text import Live
from scoville_client.tui.widgets.notice import Notice
from scoville_client.tui.widgets.reading import Reading, Row
from scoville_shared.protocol.messages import ProfileReply


class Sheet(Reading):
    """Shows a profile, once it is there."""

    def __init__(self) -> None:
        super().__init__(lambda: ())
        self._profile: ProfileReply | None = None
        self._titles: dict[str, str] = {}

    def show(self, profile: ProfileReply, titles: dict[str, str]) -> None:
        """Show a profile from its beginning."""
        self._profile, self._titles = profile, titles
        self.begin()

    def rows(self, width: int) -> list[Row]:
        """Write the profile."""
        return [] if self._profile is None else rows_of(self._profile, self._titles, width - 2)


class ProfileDialog(AskingDialog[None]):
    """Shows somebody by `name`, or me without one; others can be whispered to, ignored or reported from here."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup,b", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("w", "whisper", show=False),
        Binding("i", "ignore", show=False),
        Binding("x", "report", show=False),
        Binding("l", "leaders", show=False),
        Binding("L,f2", "language", show=False),
    ]

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._whom = name

    @property
    def _mine(self) -> bool:
        return self._whom in ("", self.scoville.session.name)

    def compose(self) -> ComposeResult:
        """Arrange the name, what is known, and the keys."""
        with Vertical(classes="box wide tall"):
            yield Static(self._whom or self.scoville.session.name, classes="heading", markup=False)
            yield Sheet()
            yield Notice()
            yield Live(self._keys, classes="keys")
        yield TooSmall()

    def on_mount(self) -> None:
        """Ask for it."""
        self.fetch(self.scoville.session.account.profile("" if self._mine else self._whom), self._show)

    def _show(self, profile: ProfileReply) -> None:
        self.query_one(Sheet).show(profile, {game.slug: game.title for game in self.scoville.session.games})

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Let nobody whisper to themselves, ignore or report themselves."""
        return not self._mine or action not in {"whisper", "ignore", "report"}

    def action_close(self) -> None:
        """Go back."""
        self.dismiss(None)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.query_one(Sheet).scroll_rows(rows)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self.query_one(Sheet).scroll_pages(pages)

    def action_whisper(self) -> None:
        """Say something to them alone."""
        self.dismiss(None)
        self.scoville.call_later(self.scoville.others.whisper, self._whom)

    def action_ignore(self) -> None:
        """Hear nothing of them any more, or hear them again."""
        self.ask(self._ignore())

    async def _ignore(self) -> None:
        self.tell(await self.scoville.others.ignore(self._whom), bad=False)

    def action_report(self) -> None:
        """Report them."""
        self.scoville.others.report(self._whom)

    def action_leaders(self) -> None:
        """Show the best instead."""
        self.dismiss(None)
        self.scoville.call_later(self.scoville.others.leaders)

    def _keys(self) -> Content:
        others = [("w", words("whisper")), ("i", words("ignore")), ("x", words("report"))]
        return keys(*(() if self._mine else others), ("l", words("the best")), (words("Esc"), words("close")))
