"""The user's own games in the lobby: how well they decide, as the reviews said, and the way to their mistakes."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from scoville_client.i18n.language import render, tr
from scoville_client.session.my_games import GameFolder, users_games
from scoville_client.tui.drawing.canvas import fit_text
from scoville_client.tui.drawing.sparkline import write_losses
from scoville_client.tui.screens.lobby.lines import Offer
from scoville_client.tui.shell import Shell
from scoville_client.tui.widgets.text_view import Row
from scoville_shared.engine.phrases import Phrase

if TYPE_CHECKING:
    from scoville_client.reviews.decisions import OwnDecisions

_TITLE, _COURSE = 14, 12
"""Columns of a game's title and of the course of the decisions there."""
_MISTAKES: Final = Phrase("{n} mistake of your games to retry", many="{n} mistakes of your games to retry")
_SHORT: Final = Phrase("{n} mistake to retry", many="{n} mistakes to retry")


class OwnGames:
    """The user's games that are stored on this computer. A door keeps none: there the folder is its host's."""

    def __init__(self, shell: Callable[[], Shell]) -> None:
        self._find_shell = shell
        self._decisions: OwnDecisions | None = None
        self._read_ns = 0

    @property
    def _shell(self) -> Shell:
        return self._find_shell()

    def read_again(self) -> None:
        """Read the reviews, if any of them has changed."""
        folder = self._find_folder()
        changed_ns = 0 if folder is None else folder.changed_ns
        if folder is None or changed_ns == self._read_ns:
            return
        from scoville_client.reviews.decisions import read_own_decisions  # late: most users have no review at first

        self._read_ns, self._decisions = changed_ns, read_own_decisions(folder)

    def list_offers(self) -> Iterator[Offer]:
        """Offer the user's mistakes, with the costliest kinds."""
        if self._decisions is None or not self._decisions.mistakes:
            return
        count = self._decisions.mistakes
        long, short = (render(phrase.with_fields({"n": count}, count)) for phrase in (_MISTAKES, _SHORT))
        habits = [habit for each in self._decisions.summaries if (habit := each.costliest_habit) is not None]
        texts = [long, short, str(count)]
        if habits:
            habit = max(habits, key=lambda each: each.loss)
            costly = tr("costliest habit: {kind} ({count} ×)", kind=habit.kind, count=habit.errors)
            texts = [f"{long}; {costly}", f"{short}; {costly}", *texts]
        yield Offer([("M", tr("my games"))], texts)

    def write_rows(self) -> Iterator[Row]:
        """Write how well the user decides at each game: the course over the reviewed games, and the trend."""
        summaries = () if self._decisions is None else self._decisions.summaries
        if summaries:
            yield ((tr("How well you decide, by your reviews:"), "muted"),)
        for summary in summaries:
            from scoville_client.replays.known_games import title_of

            trend = render(summary.trend) if summary.trend is not None else ""
            yield (
                (fit_text(title_of(summary.slug), _TITLE), "text"),
                (f"{write_losses(summary.losses, _COURSE)}", "good"),
                (f"  {trend}" if trend else "", "muted"),
            )

    def open_dialog(self) -> None:
        """List the games of this computer, to watch, to review, and to make the mistakes again."""
        if self._find_folder() is None:
            self._shell.show_notice(tr("Your games are kept by a client on your own computer, not here."))
        else:
            self._shell.navigation.open_my_games()

    def _find_folder(self) -> GameFolder | None:
        if self._shell.is_hosted:
            return None
        with suppress(OSError):  # a user without a home folder has kept nothing
            return users_games()
        return None
