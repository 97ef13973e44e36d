"""Announcements about the table: its log, the deal, the moves of this player, and the result."""

from collections.abc import Iterable, Sequence
from typing import Any

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.event_text import standing_phrases
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.option_text import STARTS
from scoville_client.plain.output import TextOutput
from scoville_client.session.daily import is_daily
from scoville_client.session.table.deal_record import DealVerdict
from scoville_client.session.table.move_input import are_numbered, has_notation, list_moves, name_move
from scoville_client.session.table.points import explain_scores, find_remark
from scoville_client.session.table.table import AtTable
from scoville_runtime.clock import SYSTEM, Alarm, Clock
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.ids import Seat

TOGETHER_SECONDS = 1.0
"""How long a sentence such as "Bea has chosen." waits for others like it, so that three of them are one."""
CONFIRM_SECONDS = 0.2
"""The same of a sentence about the user's own move: bots have answered by then, and nobody waits to be understood."""
_RESULT = -1
"""Marks, in place of a move's number, that the result has been announced."""


class TableAnnouncer:
    """Writes each news about the table once.

    Args:
        output: Where the sentences go.
        clock: How long a sentence waits for others like it.
        practice: Whether a game begins at once, so that how it begins is not worth a sentence.
    """

    def __init__(self, output: TextOutput, clock: Clock = SYSTEM) -> None:
        self.practice = False
        self._clock = clock
        self._held: list[Phrase] = []
        """Sentences of the log that the next ones may say again of another seat."""
        self._release: Alarm | None = None
        self._output = output
        self._table: AtTable | None = None
        self._lines = 0
        self._seated = False
        self._dealt = False
        self._asked: int | None = None
        self._next: str | None = None
        self._listed: list[str] = []
        """The moves that were listed last."""
        self._voting: Seat | None = None
        self._judged: tuple[str, DealVerdict] | None = None

    def announce_changes(self, at: AtTable) -> None:
        """Announce changes of a table since the last call."""
        if at is not self._table:
            self._arrive(at)
        self._write_log(at, [line.phrase for line in at.log[self._lines :]])
        if self._seated and at.seat is None and at.result is None and at.info.status == "playing":
            self._output.say("A bot plays in your place. Type join to take your seat back.")
        self._seated = at.seat is not None
        self._lines = len(at.log)
        self._ask_for_vote(at)
        if at.notes.next is not None and self._next != at.notes.next:
            self._output.say("Type follow to join the rematch.")
        self._next = at.notes.next
        deals = at.view is not None and not self._dealt
        if deals:
            self._dealt = True
            self.write_phrases(at, at.game.text.describe_table(at.view))
        self._ask(at, described=deals)
        self._say_verdict(at)

    def _arrive(self, at: AtTable) -> None:
        """Begin at another table: a waiting table's log is announced whole, a running game's only on request."""
        self.release_held()
        self._table, self._asked, self._dealt, self._seated, self._listed = at, None, False, False, []
        self._lines, self._next = 0 if at.view is None else len(at.log), at.notes.next
        if at.info.status == "waiting" and not self.practice:
            self._say_terms(at)

    def _say_terms(self, at: AtTable) -> None:
        """Announce how the game begins, and its time limits."""
        start = at.info.settings.start
        if at.hosting and start == "host":
            self._output.say("You host this table. Type start to start the game; bots take the free seats.")
        elif start != "host":
            self._output.say("The game starts {when}.", when=STARTS[start])
        if (start == "ready" or at.info.settings.hostless) and at.seat is not None:
            self._output.say("Type ready when you are ready.")
        for sentence in waiting_terms(at.info.clock):
            self._output.say("{message}", message=sentence)

    def _write_log(self, at: AtTable, news: Sequence[Phrase]) -> None:
        """Write news of the log; the last ones wait while others may join them, such as those who also pass."""
        self._held += news
        condense = at.game.text.condense_log
        # A sentence that joins no other has nothing to wait for, and those before it stand in the order of the log.
        settled = max((n for n, each in enumerate(self._held, 1) if len(list(condense([each, each]))) > 1), default=0)
        if settled:
            waiting = self._held[settled:]
            del self._held[settled:]
            self.release_held()
            self._held = waiting
        own = at.seat is not None and any(Who(at.seat) in phrase.fields.values() for phrase in self._held)
        if self._release is not None and (own or not self._held):
            self._release.cancel()
            self._release = None
        if self._held and self._release is None:
            seconds = CONFIRM_SECONDS if own else TOGETHER_SECONDS
            self._release = self._clock.call_later(seconds, self.release_held)

    def release_held(self) -> None:
        """Write what waits for sentences like it."""
        if self._release is not None:
            self._release.cancel()
            self._release = None
        held, self._held = self._held, []
        if held and self._table is not None:
            self._output.write(self._table.game.text.condense_log(held), self._table.names)

    def _ask(self, at: AtTable, *, described: bool) -> None:
        """Announce the moves of each turn once, and the result once; `described` if the whole table just was."""
        if at.result is not None and self._asked != _RESULT:
            self._asked = _RESULT
            remark = find_remark(at)
            said = [] if remark is None else [remark]
            self.write_phrases(at, [*standing_phrases(at.result, explain_scores(at)), *said])
            if is_daily(at.info):
                self._output.say("Type daily results to compare the results, leave to go back to the lobby, or quit.")
            elif at.info.tournament is None:
                self._output.say("Type rematch to play again, leave to go back to the lobby, or quit.")
            else:
                self._output.say(
                    "Type tournament show to see who leads; if another table waits for you, it is announced."
                )
        # The number of the user's moves tells one turn from the next.
        elif at.seat is not None and at.my_turn and self._asked != at.played[at.seat]:
            self._asked = at.played[at.seat]
            self.announce_moves(at, described=described, briefly=True)

    def _ask_for_vote(self, at: AtTable) -> None:
        """Announce once how this player votes in an open vote."""
        against = None if at.vote is None or not at.vote.waits_for(at.seat) else at.vote.against
        if against is not None and against != self._voting:
            self._output.say("Type vote yes or vote no.")
        self._voting = against

    def _say_verdict(self, at: AtTable) -> None:
        """Announce the verdict on the deal after the result; not again when the table is shown from another seat."""
        verdict = at.deal.verdict
        if verdict is not None and self._judged != (at.id, verdict):
            self._judged = at.id, verdict
            self.write_phrases(at, verdict.phrases)

    def write_phrases(self, at: AtTable, phrases: Iterable[Phrase]) -> None:
        """Write phrases about a table, in which seats are called by their names."""
        self.release_held()
        self._output.write(phrases, at.names)

    def announce_moves(self, at: AtTable, *, described: bool = False, briefly: bool = False) -> None:
        """Announce the turn and its legal moves, or the players for whom the table waits.

        A list that is the same at every turn is read once: `briefly` leaves out one that was the last.
        """
        self.release_held()
        choices = list_moves(at.legal_moves())
        moves = [name_move(at.game, move, at.names) for move in choices]
        if at.my_turn:
            self._announce_turn(at, choices, moves, described=described, briefly=briefly)
        elif moves:
            self._output.say("You have played; you can still play: {moves}.", moves=moves)
        else:
            self.write_phrases(at, [_waiting_for(at)])

    def _announce_turn(
        self, at: AtTable, choices: Sequence[Any], moves: Sequence[str], *, described: bool, briefly: bool
    ) -> None:
        text, view = at.game.text, at.view
        if has_notation(at.game):
            whole = described or not briefly
            lines = self._render(at, text.describe_hand(view) if whole else text.describe_turn(view))
            # The hand has what is on the table, which was said a moment ago.
            said = set(self._render(at, text.describe_table(view))) if described else set[str]()
            lines = [line for line in lines if line not in said]
            self._output.copy(_turn_lines(lines, apart=whole))
            return
        numbered = are_numbered(at.game, choices)
        shown = [f"{number} {name}" for number, name in enumerate(moves, 1)] if numbered else list(moves)
        told = " ".join([] if described else self._render(at, text.describe_turn(view)))
        # A list of numbers that stays the same is read once, and so are names that the description has.
        known = shown == self._listed if numbered else bool(told) and all(name in _words_of(told) for name in moves)
        if briefly and known:
            self._output.copy(_turn_lines([told] if told else [], apart=False))
        else:
            self._output.copy([told] if told else [])
            self._output.say("Your turn. You can play: {moves}.", moves=shown)
        self._listed = shown

    @staticmethod
    def _render(at: AtTable, phrases: Iterable[Phrase]) -> list[str]:
        return [render(phrase, at.names) for phrase in phrases]


def _turn_lines(lines: Sequence[str], *, apart: bool) -> list[str]:
    """Put "Your turn." before the sentences of a turn: in one line, or in lines of their own where they are long."""
    begin = tr("Your turn.")
    return [begin, *lines] if apart else [" ".join([begin, *lines])]


def _words_of(text: str) -> set[str]:
    return set(text.translate(_NO_SIGNS).split())


_NO_SIGNS = str.maketrans(dict.fromkeys("(),.;:", " "))


def _waiting_for(at: AtTable) -> Phrase:
    if not at.pending:
        return Phrase("You cannot play anything now.")
    return Phrase("Waiting for {players}.", {"players": [Who(Seat(seat)) for seat in sorted(at.pending)]})
