"""Keys that look back during a game, and the offer to watch what happened while the user was not here."""

from scoville_client.i18n.language import render, tr
from scoville_client.session.table.table import AtTable, Missed
from scoville_client.tui.screens.table.coach_keys import CoachKeys
from scoville_shared.engine.phrases import Phrase

_MISSED = Phrase(
    "{n} move happened: press [ to watch it.",
    many="{n} moves happened: press [ to watch them.",
)


class LookBackKeys(CoachKeys):
    """A page about the table `at` whose keys look back."""

    _offered: Missed | None = None

    def painted(self) -> None:
        """Offer what was missed, once the table as it is now is on the terminal."""
        missed = self.at.missed
        if missed is not None and missed != self._offered and self.at.result is None:
            self._offered = missed
            self.announce(render(_MISSED.of({"n": missed.moves}, missed.moves)))

    def action_look_back(self) -> None:
        """Watch what was missed; without that, look at the move before the present."""
        if self.at.missed is not None and self.at.result is None:
            self.shell.request(self._watch_missed(self.at, self.at.missed))
        else:
            self.look_back(None)

    async def _watch_missed(self, at: AtTable, missed: Missed) -> None:
        await self.shell.session.look_back()
        if self.at is at and at.result is None and at.deal.has_past:
            self.shell.navigation.open_look_back(at, missed.since, plays=True)

    def look_back(self, seq: int | None) -> None:
        """Look at the table after an event, by default before the latest move."""
        if self.at.result is None and self.at.deal.has_past:
            self.shell.navigation.open_look_back(self.at, seq)
        else:
            self.show_notice(tr("There is nothing to look back at yet."))
