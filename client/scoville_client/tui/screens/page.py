"""What all screens have in common: the body, a notice, the line of keys; and a way out when the window is too small."""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.content import Content
from textual.css.query import NoMatches
from textual.events import Resize
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widget import MountError, Widget

from scoville_client.i18n.language import words
from scoville_client.i18n.wrapping import wrap
from scoville_client.rules import FIRST_PAGE
from scoville_client.session.start_options import DEFAULT_GAME
from scoville_client.tui import STYLES
from scoville_client.tui.actions import bindings
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.widgets.chat_preview import Overheard
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.live_text import Live
from scoville_client.tui.widgets.notice import Notice, lie_over
from scoville_client.tui.widgets.painting import Painting

if TYPE_CHECKING:
    from scoville_client.session.changes import Change
    from scoville_client.tui.app import ScovilleApp
    from scoville_shared.engine.phrases import Phrase

MINIMUM = (46, 19)
T = TypeVar("T")


def keys(*pairs: tuple[str, str]) -> Content:
    """Write keys and what they do in one line, for the foot of a dialog."""
    parts = [part for key, word in pairs for part in ((key, "bold"), f" {word}   ")]
    return Content.assemble(*parts).rstrip()


class TooSmall(Painting):
    """Says how large the window has to be."""

    def draw(self, width: int, height: int) -> Canvas:
        """Draw the sentence, however little room there is."""
        canvas = Canvas(width, height)
        screen = cast("Common[object]", self.screen)
        for y, row in enumerate(wrap(screen.small_text, width)):
            canvas.put(0, y, row, "text")
        return canvas


class Common(Screen[T]):
    """A screen with the ways out that every screen has."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("everywhere")]
    WHERE = "everywhere"
    SMALL_KEYS: ClassVar[frozenset[str]] = frozenset()
    """Keys that `small_text` names, where the window is too small; all others but those that quit do nothing."""
    _focused_before: Widget | None = None

    @property
    def scoville(self) -> "ScovilleApp":
        """The App, with its session."""
        return cast("ScovilleApp", self.app)

    def when_mounted(self, do: Callable[[], object]) -> None:
        """Do something with the widgets of the screen: now, or once it has them; never when it has left."""
        if not self.is_mounted:
            self.call_later(self.when_mounted, do)
        elif self.is_open:
            do()

    @property
    def is_open(self) -> bool:
        """Whether the screen is arranged, and not being taken away: only then it has widgets to show something with."""
        return self.is_mounted and not self.is_leaving

    @property
    def is_leaving(self) -> bool:
        """Whether the screen is being taken away, or has been: what still reaches it finds none of its widgets."""
        return self._pruning or self not in self.app.screen_stack or not self.app.is_running

    async def _dispatch_message(self, message: Message) -> None:
        """Drop what reaches the screen while it leaves. A hook of Textual: see `test_questions.py`."""
        try:
            await super()._dispatch_message(message)
        except (NoMatches, MountError):
            if not self.is_leaving:
                raise

    @property
    def in_front(self) -> bool:
        """Whether no other screen lies above."""
        stack = self.app.screen_stack
        return bool(stack) and stack[-1] is self

    @property
    def meaning(self) -> Hashable:
        """What the keys of this screen do now, as far as others than the player change it: see `keygate`."""
        return None

    @property
    def small_text(self) -> str:
        """What is said where the window is too small."""
        return words(
            "This terminal is too small: it is {size}, Scoville needs {wanted}. Enlarge it, or press q to quit.",
            size=f"{self.size.width} x {self.size.height}",
            wanted=f"{MINIMUM[0]} x {MINIMUM[1]}",
        )

    def on_resize(self, event: Resize) -> None:
        """Give the way to the sentence about the size when the window is too small."""
        small = event.size.width < MINIMUM[0] or event.size.height < MINIMUM[1]
        if small == self.has_class("-small"):
            return
        if small:
            self._focused_before = self.focused
            self.set_focus(None)
        self.set_class(small, "-small")
        if not small and self.focused is None and self._focused_before is not None:
            self.set_focus(self._focused_before if self._focused_before.is_attached else None)

    async def action_quit(self) -> None:
        """Quit, after a question when a game would be left."""
        await self.scoville.action_quit()

    def action_suspend_process(self) -> None:
        """Suspend the client."""
        self.scoville.action_suspend_process()

    def action_help(self) -> None:
        """Show the help."""
        self.scoville.show_help(self.WHERE)

    def action_theme(self) -> None:
        """Change between dark and light."""
        self.scoville.change_look()

    def action_language(self) -> None:
        """Go over to the next language."""
        self.scoville.change_language()

    def action_rules(self) -> None:
        """Show the rules."""
        self.scoville.show_rules()

    def heard(self, change: "Change") -> None:
        """Learn of a change in the session."""

    def reword(self) -> None:
        """Write everything in another language.

        In place, never by composing again: what waits for an answer of the server would find nothing to show it with.
        """
        for live in self.query(Live):
            live.reword()
        for painting in self.query(Painting):
            painting.repaint()


class Page(Common[None]):
    """A whole screen: `compose_body` gives what it is about."""

    def compose(self) -> ComposeResult:
        """Arrange body, notice and keys."""
        yield from self.compose_body()
        yield Notice()
        yield KeyBar(self.WHERE)
        yield TooSmall()

    def compose_body(self) -> ComposeResult:
        """Give the widgets between the top and the notice."""
        raise NotImplementedError

    @property
    def rules(self) -> tuple[str, str]:
        """Say which rules are wanted here: a game, and the page that fits the moment."""
        return DEFAULT_GAME, FIRST_PAGE

    def action_chat(self) -> None:
        """Talk."""
        self.scoville.others.chat()

    def action_react(self) -> None:
        """Show a quick reaction."""
        self.scoville.others.react()

    def action_account(self) -> None:
        """Show who I am here."""
        self.scoville.others.account()

    def action_leaders(self) -> None:
        """Show the best."""
        self.scoville.others.leaders()

    def action_likes(self) -> None:
        """Ask what is liked."""
        self.scoville.show_likes()

    def tell(self, sentence: "str | Phrase", *, bad: bool = False, stays: bool = False) -> None:
        """Show one sentence above the keys until the next key, or for as long as it `stays`; an empty one goes away."""
        self._use_notice(lambda notice: notice.tell(sentence, bad=bad, stays=stays))

    def announce(self, sentence: str) -> None:
        """Show a sentence that stays until a key is pressed."""
        self._use_notice(lambda notice: notice.announce(sentence))

    def _use_notice(self, show: Callable[[Notice], None]) -> None:
        """Use the notice once there is one; a page that has gone has none any more."""

        def use() -> None:
            for notice in self.query(Notice):
                show(notice)

        self.when_mounted(use)

    @property
    def spare(self) -> Area | None:
        """The cells that a notice may cover; None where it lies above the keys, and the page makes room for it."""
        return None

    def place_notices(self) -> None:
        """Place what is told over the cells that it may cover; what was heard is the last row, if there are two."""
        area = self.spare
        heard = [row for row in self.query(Overheard) if row.has_class("-told")]
        for row in self.query(Overheard):
            lie_over(row, None if area is None else (area[0], area[1] + area[3] - 1, area[2], 1))
        if area is not None and heard and area[3] > 1:
            area = (*area[:3], area[3] - 1)
        for notice in self.query(Notice):
            notice.lie_over(area)

    def on_overheard_shown(self) -> None:
        """Share the room with what was heard."""
        self.place_notices()

    def forget_announced(self) -> None:
        """Take away what was announced and has been read."""
        for notice in self.query(Notice):
            notice.forget_announced()

    def forget(self) -> None:
        """Take away what was told and has been read."""
        for notice in self.query(Notice):
            notice.forget()


class Dialog(ModalScreen[T], Common[T]):
    """A box over a screen that is answered with a T, once: what comes after the answer changes nothing."""

    CSS_PATH = STYLES / "dialogs.tcss"
    _is_answered = False
    _late_result: T | None = None

    @property
    def answered(self) -> bool:
        """Whether it has been answered."""
        return self._is_answered

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Answer and go; a dialog beneath another one goes when that one has."""
        if self._is_answered:
            return AwaitComplete()
        self._is_answered = True
        if self.in_front:
            return super().dismiss(result)
        self._late_result = result
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Go, where the answer was given while another dialog lay above."""
        if self._is_answered and self.in_front:
            super().dismiss(self._late_result)
