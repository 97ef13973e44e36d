"""Who is on the server: to be invited, or looked at."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from scoville_client.i18n.language import words
from scoville_client.tui.screens.dialogs.pick import Pick


class Here(Pick):
    """A list of people; v shows who somebody is, which is all that Enter does where nobody is invited."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "profile", show=False)]

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name the key that shows somebody."""
        known = words("who is it")
        return [] if self.deed == known else [("v", known)]

    def action_profile(self) -> None:
        """Show what is known of the marked one."""
        if self.marked is not None:
            self.scoville.others.profile(self.marked)
