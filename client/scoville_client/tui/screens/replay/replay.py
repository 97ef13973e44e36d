"""Replay screen: a finished game on its board, forwards and backwards, from any point of view."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Final

from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key

from scoville_client.i18n.language import render, tr
from scoville_client.replays.playback import Playback, first_human
from scoville_client.replays.reel import Reel
from scoville_client.reviews.decisions import OwnMistakes
from scoville_client.reviews.explanation import Explanation, explain_move
from scoville_client.reviews.review import MarkedMoment
from scoville_client.reviews.same_deal import SameDeal, has_master, play_same_deal, same_deal_sentences
from scoville_client.reviews.sentences import answer_text
from scoville_client.tui.actions import screen_bindings
from scoville_client.tui.request import Request
from scoville_client.tui.screens.base import KeyActions
from scoville_client.tui.screens.coach.explanation import ExplanationDialog
from scoville_client.tui.screens.coach.review import ReviewDialog, Shown
from scoville_client.tui.screens.dialogs.pick import PickDialog
from scoville_client.tui.screens.replay.replay_bar import Piece
from scoville_client.tui.screens.replay.tape_screen import TapeScreen
from scoville_client.tui.screens.table.result import Result
from scoville_client.tui.widgets.key_bar import KeyBar
from scoville_client.tui.widgets.menu import Item
from scoville_shared.coach.registry import has_coach
from scoville_shared.coach.sample import Figures
from scoville_shared.coach.study import is_right

_COACHED: Final = frozenset({"choose_again", "coach_review", "explain"})
"""Actions that need a coach for the game."""
_MOMENTS: Final = frozenset({"moment_before", "next_moment"})
"""Actions that need a review of the game."""


class ReplayScreen(TapeScreen[Playback]):
    """Shows a playback; `pace` is the seconds of a step of an animation, 0 for none.

    `moments` are those that a review has marked; the keys go from one to the next, on the board.
    """

    KEY_CONTEXT = "replay"
    BINDINGS: ClassVar[list[BindingType]] = [*screen_bindings("replay")]
    _typed = ""

    def __init__(
        self,
        tape: Playback,
        pace: float,
        mistakes: OwnMistakes | None = None,
        *,
        moments: Sequence[MarkedMoment] = (),
    ) -> None:
        super().__init__(tape, pace)
        self.mistakes = mistakes
        """The user's mistakes, of which this game has the one that is next."""
        self._moments = moments

    @property
    def playback(self) -> Playback:
        """The replay that is shown."""
        return self.tape

    async def on_mount(self) -> None:
        """Show the beginning, and the faults found by a verification."""
        self.show_notice(" ".join(self.playback.reel.doubts), error=True)
        self._show_keys()
        await self._arrange_stage()
        self._explain_moment()

    def _show_keys(self) -> None:
        """Leave out keys that have nothing to do in this game."""
        disabled = frozenset(action for action in _COACHED | _MOMENTS if not self.allows_action(action))
        for bar in self.children_of(KeyBar):
            bar.show_keys(self.KEY_CONTEXT, disabled=disabled)

    def pieces_before(self) -> Iterator[Piece]:
        here = [number for number, moment in enumerate(self._moments, 1) if moment.position == self.playback.position]
        if here:
            yield Piece(tr("moment {n} of {count}", n=here[0], count=len(self._moments)), "caption")
        if self.mistakes is not None and self.playback.position == self.mistakes.position:
            yield Piece(
                tr("mistake {n} of {count}: c, choose again", n=self.mistakes.number, count=self.mistakes.count),
                "caption",
            )
        if self._typed:
            yield Piece(tr("Go to: {number}_", number=self._typed), "caption")

    def pieces_after(self) -> Iterator[Piece]:
        """Return the point of view, the verdict, and where the keys are explained if there is no key bar."""
        seat, reel, verdict = self.playback.seat, self.playback.reel, self.playback.reel.verdict
        names = self.playback.reel.header.seats
        yield Piece(tr("spectator") if seat is None else tr("as {name}", name=names[seat].name), "you")
        if not reel.is_record:
            yield Piece(tr("master's game"), "muted")
        elif not verdict.verified:
            yield Piece(tr("not finished") if verdict.unfinished else tr("NOT verified"), "bad")
        if not self.has_class("-tall"):
            yield Piece(tr("? keys"), "muted")
        if verdict.verified and reel.is_record:
            yield Piece(tr("verified"), "good")

    def note_position(self) -> None:
        """Show the position in the bar, and the result after the last move."""
        super().note_position()
        self.call_later(self._arrange_stage)

    def key_actions(self) -> KeyActions:
        return {
            **super().key_actions(),
            "back": self._leave_replay,
            "choose_again": self._choose_again,
            "coach_review": self._open_review,
            "explain": self._explain_move,
            "go_to_move": lambda: self._go_to_typed(self.playback.go_to),
            "go_to_part": lambda: self._go_to_typed(self.playback.go_to_part),
            "moment_before": lambda: self._go_to_moment(-1),
            "next_moment": lambda: self._go_to_moment(1),
            "point_of_view": self._show_next_view,
            "same_deal": self._play_same_deal,
        }

    def allows_action(self, action: str) -> bool:
        if action == "same_deal":
            return has_master(self.playback.reel)
        if action in _MOMENTS:
            return bool(self._moments)
        return action not in _COACHED or has_coach(self.playback.reel.header.game)

    def _choose_again(self) -> None:
        """Let the user make the decision that follows; the coach's answer comes after it."""
        position = self.playback.position + 1
        explained = explain_move(self.playback.reel, position, f"choose {id(self)}")
        self.show_notice(tr("The coach thinks …"))
        Request(explained, self._ask_for_choice, self.show_notice).start_worker(self)

    def _ask_for_choice(self, explained: Explanation) -> None:
        self.show_notice("")
        reel, position = self.playback.reel, explained.position
        assert position is not None, "a move of a finished game has a number"
        names = [sitter.name for sitter in reel.header.seats]
        figures = explained.study.sample.figures_of_moves()
        labels = [render(reel.describe_move_at(position, each.move), names) for each in figures]

        def answer(chosen: str | None) -> None:
            if chosen is not None:
                self._show_answer(explained, figures[int(chosen)], labels[int(chosen)])

        items = [Item(str(number), label) for number, label in enumerate(labels)]
        about = tr("Move {position}, {name}: what do you play?", position=position, name=explained.name)
        self.shell.open_dialog(PickDialog(tr("Choose again"), lambda: items, tr("play"), about=about), answer)

    def _show_answer(self, explained: Explanation, chosen: Figures, label: str) -> None:
        async def explain() -> Explanation:
            return explained

        def go_on(_: None) -> None:
            if self.mistakes is not None:
                self.mistakes.note_answer(right=is_right(chosen))
                self.shell.navigation.open_next_mistake(self.mistakes)

        dialog = ExplanationDialog(
            [explained.name], [explain], self._seats, answer_text(chosen, explained.rows[0][0], label)
        )
        self.shell.open_dialog(dialog, go_on)

    def _play_same_deal(self) -> None:
        """Let master play the deal in the seat that is shown, and offer to watch that game from where it parts."""
        reel = self.playback.reel
        seat = first_human(reel.header) if self.playback.seat is None else self.playback.seat

        def report(number: int) -> None:
            self.show_notice(tr("Master plays, move {n} …", n=number))

        def offer(same: SameDeal) -> None:
            self.show_notice("")
            items = [Item("watch", tr("watch"), tr("master's game"))]
            about = "\n".join(same_deal_sentences(same))
            dialog = PickDialog(tr("The same deal by master"), lambda: items, tr("watch"), about=about)
            self.shell.open_dialog(dialog, lambda chosen: None if chosen is None else watch(same))

        def watch(same: SameDeal) -> None:
            position = 0 if same.parted is None else same.parted[1]
            self.shell.navigation.open_replay(position, Playback(same.master, same.seat))

        playing = play_same_deal(reel, seat, f"master {id(self)}", report)
        Request(playing, offer, self.show_notice).start_worker(self)

    def _open_review(self) -> None:
        async def load() -> Reel:
            return self.playback.reel

        def show(shown: Shown | None) -> None:
            if shown is not None:
                self._moments = shown.moments
                self._show_keys()
                self.player.show_moment(shown.position)
                self._explain_moment()

        self.shell.open_dialog(ReviewDialog(load), show)

    def _go_to_moment(self, step: int) -> None:
        """Go to the next moment that the review has marked, or to the one before."""
        there = [moment for moment in self._moments if (moment.position - self.playback.position) * step > 0]
        if there:
            self.player.show_moment(there[0 if step > 0 else -1].position)
            self._explain_moment()

    def _explain_moment(self) -> None:
        """Say what the review says of the moment that is shown."""
        said = next((each.text for each in self._moments if each.position == self.playback.position), "")
        if said:
            self.show_notice(said)

    @property
    def _seats(self) -> int:
        """How many players the game has."""
        return len(self.playback.reel.header.seats)

    def _explain_move(self) -> None:
        position = min(self.playback.position, self.playback.reel.moves)
        line = self.playback.reel.moment_at(position).line
        if line is None:
            self.show_notice(tr("Nobody has moved yet."))
            return
        name = self.playback.reel.header.seats[line.seat].name
        explain = partial(explain_move, self.playback.reel, position, f"explain {id(self)}")
        self.shell.open_dialog(ExplanationDialog([name], [explain], self._seats))

    async def _arrange_stage(self) -> None:
        """Show the result after the last move, else the board."""
        over = self.playback.at.result is not None
        self.board.display = not over
        await self.query(Result).remove()
        if over:
            await self.query_one("#stage", Vertical).mount(Result(self.playback.at))

    # --- keys -------------------------------------------------------------------------------------------

    def on_key(self, event: Key) -> None:
        """Type a digit of the number to go to."""
        if event.character is not None and event.character in "0123456789":
            event.stop()
            # Five digits are more than any game has moves; the oldest one makes room.
            self._type_digits((self._typed + event.character)[-5:])

    def _type_digits(self, digits: str) -> None:
        self._typed = digits
        self._bar.repaint()

    def _show_next_view(self) -> None:
        self.playback.look_from_next_seat()
        self.player.show_position()

    def _go_to_typed(self, go: Callable[[int], object]) -> None:
        """Go to the round or the move whose number was typed."""
        if self._typed:
            go(int(self._typed))
            self._typed = ""
            self.player.show_position()

    def _leave_replay(self) -> None:
        """Clear the typed digits, or leave the replay."""
        if self._typed:
            self._type_digits("")
        # The first page is never closed: where a replay is that one, the client ends with it.
        elif len(self.app.screen_stack) > 2:
            self.shell.navigation.close_page(self)
        else:
            self.app.exit(0)
