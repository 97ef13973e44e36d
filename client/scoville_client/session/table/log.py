"""Log of a table: its events as phrases, and the story of its beginning."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from scoville_client.i18n.event_text import event_phrases
from scoville_client.session.changes import EventApplied
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent, Joined, SeatInfo, Started, TableInfo

MOST_OPENING_EVENTS = 64
"""The longest opening that a board can show as a story: users watch no more than a minute of the past."""


class LogEntry(NamedTuple):
    """An entry of the log: the number of its event, and the sentence."""

    seq: int
    phrase: Phrase


class TableLog:
    """The log of one table; `entries` are in the order of the events."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []
        self._names: dict[int, str] = {}

    def append_event(
        self,
        game: AnyGame,
        event: AnyTableEvent,
        info: TableInfo,
        facts: Sequence[Any],
        *,
        seen_from: Seat | None,
        playing: bool,
    ) -> None:
        """Append the phrases of an event; `info` is the table after it, the others are those of `event_phrases`."""
        seats = self._seats_at(event, info.seats)
        phrases = event_phrases(game, event, seats, facts, seen_from=seen_from, playing=playing, paused=info.paused)
        self.entries += [LogEntry(event.seq, phrase) for phrase in phrases]

    def replace_moves(self, written: Mapping[int, Iterable[Phrase | None]]) -> None:
        """Replace the sentences of moves, by the numbers of their events."""
        entries: list[LogEntry] = []
        done: set[int] = set()
        for entry in self.entries:
            if entry.seq not in written:
                entries.append(entry)
            elif entry.seq not in done:
                done.add(entry.seq)
                entries += [LogEntry(entry.seq, phrase) for phrase in written[entry.seq] if phrase is not None]
        self.entries = entries

    def _seats_at(self, event: AnyTableEvent, seats: list[SeatInfo]) -> list[SeatInfo]:
        """Return the seats with their names at an event: a snapshot's events are older than its seats."""
        if isinstance(event, Joined):
            self._names[event.seat] = event.name
        elif isinstance(event, Started):
            self._names = {}
        return [replace(info, name=self._names.get(seat, info.name)) for seat, info in enumerate(seats)]


class OpeningStory:
    """The game's start and the events after it, kept until a board shows them: a board takes a moment to appear."""

    def __init__(self) -> None:
        self._events: list[EventApplied] | None = None

    def note_event(self, change: EventApplied) -> None:
        """Keep an event, if the start of the game is kept."""
        if isinstance(change.event, Started):
            self._events = [change]
        elif self._events is not None:
            self._events.append(change)
            # Dropped as a whole, since a story without its beginning cannot be told.
            if len(self._events) > MOST_OPENING_EVENTS:
                self._events = None

    def drop_events(self) -> None:
        """Keep nothing until the next start."""
        self._events = None

    def take_events(self) -> list[EventApplied]:
        """Return the events since the game's start that no board has shown; empty from the second call on."""
        events, self._events = self._events or [], None
        return events
