"""The keys of a table: each asks for a deed, shows something, or leads away."""

from typing import ClassVar

from textual.binding import BindingType

from scoville_client.i18n.language import told
from scoville_client.session.table.table import AtTable
from scoville_client.tui.actions import bindings
from scoville_client.tui.screens.page import Page

_BEFORE = {"start_game", "ready", "kick", "transfer_host", "invite"}
_AFTERWARDS = {"rematch", "review", "save"}
_OVERRUN = {"rematch", "back"}
"""What the keys that hurry a story do when it is over: whoever presses them once too often means none of it."""
_SEATED = {"start_game", "ready", "invite", "pause"}
_HOSTS = {"kick", "transfer_host"}
_SPECTATORS = {"place", "commentate"}


class TableKeys(Page):
    """A page about the table `at`; WHERE is the stage that it has come to."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("waiting"), *bindings("watching"), *bindings("result")]
    at: AtTable

    @property
    def settled(self) -> bool:
        """Whether the stage stands for long enough that a key is meant for it, and not for the story before it."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Offer each stage its own keys, and everybody only what they may do."""
        if action in _OVERRUN and not self.settled:
            return False
        if action in _BEFORE and self.WHERE != "waiting":
            return False
        if action in _AFTERWARDS:
            return self.WHERE == "result"
        if action in _SPECTATORS:
            return self.WHERE == "play" and self.at.seat is None
        if action == "pause" and self.at.info.status != "playing":
            return False
        return (action not in _SEATED or self.at.seat is not None) and (action not in _HOSTS or self.at.hosting)

    def action_start_game(self) -> None:
        """Start the game; whoever is not the host says that they are ready."""
        if self.at.hosting:
            self.scoville.deeds.start()
        else:
            self.action_ready()

    def action_ready(self) -> None:
        """Say that I am ready, or not any more."""
        self.scoville.deeds.be_ready()

    def action_invite(self) -> None:
        """Choose whom to invite."""
        self.scoville.doors.show_people()

    def action_kick(self) -> None:
        """Choose whom to send away."""
        self.scoville.deeds.kick()

    def action_transfer_host(self) -> None:
        """Choose who is to be the host."""
        self.scoville.deeds.transfer_host()

    def action_company(self) -> None:
        """Show who is here."""
        self.scoville.deeds.show_company()

    def action_wanted(self) -> None:
        """Go to another table, which waits for me."""
        self.scoville.doors.go_where_wanted()

    def action_place(self) -> None:
        """Look from the next player's place."""
        self.scoville.deeds.look_from_next()
        self.look_again()

    def action_commentate(self) -> None:
        """See hands, with a key."""
        self.scoville.deeds.commentate()

    def action_pause(self) -> None:
        """Ask for a pause, or end it."""
        self.scoville.deeds.pause()

    def action_log(self) -> None:
        """Read the story back, as far as it has been told."""
        self.scoville.show_log(self.story)

    def action_review(self) -> None:
        """See the game again."""
        self.scoville.review()

    def action_save(self) -> None:
        """Save the finished game."""
        self.scoville.save_game()

    def action_rematch(self) -> None:
        """Play again with the same people, or go to where they do."""
        self.scoville.deeds.rematch()

    def action_back(self) -> None:
        """Leave the table, after a question when the game is not over."""
        self.scoville.exits.leave_table()

    def look_again(self) -> None:
        """Show the table from another place."""
        raise NotImplementedError

    def story(self) -> list[str]:
        """Write the log, as far as it has been told."""
        return [told(line.phrase, self.at.names) for line in self.at.log]
