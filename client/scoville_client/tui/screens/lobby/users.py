"""User list: the users of a server, to be invited or looked at."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from scoville_client.i18n.language import tr
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.widgets.menu import Item


class UserListDialog(PickDialog):
    """Returns the chosen user. `action` names what Enter does; without it Enter is for a profile, else v is."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("v", "profile", show=False)]

    def __init__(self, heading: str, items: Callable[[], Sequence[Item]], action: str = "", *, about: str = "") -> None:
        super().__init__(heading, items, action or tr("profile"), about=about)
        self._has_action = bool(action)

    def more_keys(self) -> Sequence[tuple[str, str]]:
        """Name the key of the profile where Enter does something else."""
        return [("v", tr("profile"))] if self._has_action else []

    def action_profile(self) -> None:
        if self.marked is not None:
            self.shell.navigation.open_profile(self.marked)
