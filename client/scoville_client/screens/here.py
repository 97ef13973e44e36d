"""Who is on the server: to be invited, or looked at."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from scoville_client.language import words
from scoville_client.screens.pick import Pick


class Here(Pick):
    """A list of people; beside what Enter does, v shows who somebody is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "profile", show=False)]

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name the key that shows somebody."""
        return [("v", words("who is it"))]

    def action_profile(self) -> None:
        """Show what is known of the marked one."""
        if self.marked is not None:
            self.scoville.others.profile(self.marked)
