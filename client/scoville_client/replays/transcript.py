"""Transcript of a game: what one spectator may know, as lines, round by round."""

from collections.abc import Callable, Iterable

from scoville_client.i18n.event_text import fact_phrases, standing_phrases
from scoville_client.i18n.language import render
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.session.changes import EventApplied
from scoville_client.session.table.table import AtTable
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played

COLUMNS = 80
NEW_ROUND = "round_began"
"""Fact that begins a round; a new paragraph begins there."""

Write = Callable[[str], object]


class Transcript:
    """Writes each event once, through `write`, in lines of at most COLUMNS cells."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._pending: frozenset[Seat] = frozenset()

    def begin_game(self, at: AtTable) -> None:
        """Write the state of a table that was dealt before the transcript began."""
        self._write_event(at)
        self._write_table(at)
        self._pending = at.pending

    def event_applied(self, at: AtTable, change: EventApplied) -> None:
        """Write an event that the table `at` has applied."""
        if isinstance(change.event, Played):
            self._write_move(at, change.event)
        else:
            self._write_event(at)
        if change.before is None and change.after is not None:
            self._write_table(at)
        self._pending = at.pending

    def _write_table(self, at: AtTable) -> None:
        self._write_phrases(at, at.game.text.describe_table(at.view))
        self._write("")

    def _write_event(self, at: AtTable) -> None:
        if at.result is not None:
            self._write("")
        self._write_phrases(at, (line.phrase for line in at.log if line.seq == at.seq))
        if at.result is not None:
            self._write_phrases(at, standing_phrases(at.result))

    def _write_move(self, at: AtTable, event: Played) -> None:
        """Write the result of a move; a choice that stays secret is left out."""
        # Fewer seats must move, and no other: they choose at the same time, and see the choices when all have chosen.
        if at.pending and at.pending < self._pending:
            return
        facts = map(at.game.codec.decode_fact, event.facts)
        for fact, phrase in zip(event.facts, fact_phrases(at.game, facts, at.point_of_view), strict=True):
            if phrase is None:
                continue
            if fact.get("fact") == NEW_ROUND:
                self._write("")
            self._write_phrases(at, [phrase])

    def _write_phrases(self, at: AtTable, phrases: Iterable[Phrase]) -> None:
        for phrase in phrases:
            for row in wrap_lines(render(phrase, at.names), COLUMNS, indent="  "):
                self._write(row)
