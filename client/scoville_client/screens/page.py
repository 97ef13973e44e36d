"""What all screens have in common: the body, a notice, the line of keys; and a way out when the window is too small."""

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen, Screen

from scoville_client.actions import bindings
from scoville_client.boards.canvas import Canvas
from scoville_client.boards.prose import wrap
from scoville_client.language import words
from scoville_client.rules import FIRST_PAGE
from scoville_client.start import DEFAULT_GAME
from scoville_client.widgets.keybar import KeyBar
from scoville_client.widgets.notice import Notice
from scoville_client.widgets.painting import Painting

if TYPE_CHECKING:
    from scoville_client.app import ScovilleApp
    from scoville_client.changes import Change
    from scoville_shared.kit.phrases import Phrase

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
        size = f"{self.screen.size.width} x {self.screen.size.height}"
        wanted = f"{MINIMUM[0]} x {MINIMUM[1]}"
        told = words(
            "This terminal is too small: it is {size}, Scoville needs {wanted}. Enlarge it, or press q to quit.",
            size=size,
            wanted=wanted,
        )
        for y, row in enumerate(wrap(told, width)):
            canvas.put(0, y, row, "text")
        return canvas


class Common(Screen[T]):
    """A screen with the ways out that every screen has."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("everywhere")]
    WHERE = "everywhere"

    @property
    def scoville(self) -> "ScovilleApp":
        """The App, with its session."""
        return cast("ScovilleApp", self.app)

    def on_resize(self, event: Resize) -> None:
        """Give the way to the sentence about the size when the window is too small."""
        small = event.size.width < MINIMUM[0] or event.size.height < MINIMUM[1]
        if small and not self.has_class("-small"):
            self.set_focus(None)
        self.set_class(small, "-small")

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
        """Say everything again, in another language."""
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
        self.query_one(Notice).tell(sentence, bad=bad, stays=stays)

    def announce(self, sentence: str) -> None:
        """Show a sentence that stays until a key is pressed."""
        self.query_one(Notice).announce(sentence)

    def forget_announced(self) -> None:
        """Take away what was announced and has been read."""
        for notice in self.query(Notice):
            notice.forget_announced()

    def forget(self) -> None:
        """Take away what was told and has been read."""
        for notice in self.query(Notice):
            notice.forget()


class Dialog(ModalScreen[T], Common[T]):
    """A box over a screen that is answered with a T."""

    CSS_PATH = "../styles/dialogs.tcss"
