"""The checker of an evening: compares what each user did and saw with the export of the cluster.

It knows the documents alone: events, Views and chat of docs/protocol, the files of docs/replay-format.md and
docs/host/backups.md. What a seat may see comes from replaying the exported game by the rules.

- moves: acknowledged ones are in the game as the move and the event that was named; none was made that its player has
  not tried, and none twice.
- events: each user got each event of a table once and in order, whatever node they came to, and all got the same.
- secrets: Views and facts are those of the user's own seat.
- deals: each game is signed, and dealt from what it was committed to before.
- chat: acknowledged messages are there once, refused ones are not; nobody heard one twice, or both read and heard it;
  programs, which read what came while they were away, have missed none; numbers have no gap.
- names: two users never had one name at the same time; a claimed one has one owner; tokens brought the same user back.
- careers: each finished game counts once for each of its players.
- told: warnings and invitations that were acknowledged while their user was away came when they did, and once. A second
  time they may come only if the connection of the first time was lost right after it: a node that is killed then may
  have sent them, or not.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgpack

from scoville_shared import replay
from scoville_shared.engine import play as engine
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.replay.verify import dealer_of, dice_of
from tests.e2e.evening.story import Greeted, Shown, Story, Told, Tried

_SETTLED_SECONDS: Final = 2.0
"""How long after a message the loss of its connection may explain a second copy of it."""


class Found(NamedTuple):
    """Something that must not be: which promise, and what was seen."""

    promise: str
    text: str


class Game:
    """A finished game, replayed."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.exported = replay.read_game(lines)
        self.verdict = replay.verify_game(self.exported)
        header = self.exported.header
        self._game = registry.load_game(header.game)
        codec = self._game.codec
        options, dice, dealer = codec.decode_options(header.options), dice_of(header), dealer_of(header)
        moves = [(Seat(made.seat), codec.decode_move(made.move)) for made in self.exported.moves]
        self._states = [self._game.deal(options, len(header.seats), dice, dealer)]
        self._facts: list[Sequence[Any]] = [()]
        for step in engine.replay_moves(self._game, options, len(header.seats), dice, moves, dealer):
            self._states.append(step.state)
            self._facts.append(step.facts)
        self.numbered = {
            (made.seat, nth): made
            for seat in range(len(header.seats))
            for nth, made in enumerate(made for made in self.exported.moves if made.seat == seat)
        }
        self._views: dict[tuple[int, int], Any] = {}

    @property
    def length(self) -> int:
        """The number of moves."""
        return len(self._states) - 1

    def show_view(self, moves: int, seat: int) -> Any:
        """Return what a seat sees after so many moves, as it crosses the wire."""
        if (moves, seat) not in self._views:
            self._views[moves, seat] = self._as_sent(self._game.view(self._states[moves], Seat(seat)))
        return self._views[moves, seat]

    def list_facts(self, moves: int, seat: int) -> list[Any]:
        """List what a seat may know of a move and its consequences."""
        return [self._as_sent(each.fact) for each in self._facts[moves] if each.to is None or each.to == seat]

    def _as_sent(self, value: Any) -> Any:
        return msgpack.unpackb(msgpack.packb(self._game.codec.encode_plain(value)), strict_map_key=False)


class Export:
    """What `scoville-server export` has written."""

    def __init__(self, folder: Path) -> None:
        self.games = {path.stem: path.read_text("utf-8").splitlines() for path in (folder / "games").glob("*.jsonl")}
        self._folder = folder

    def list_rows(self, book: str) -> list[dict[str, Any]]:
        """List the rows of a book."""
        path = self._folder / "books" / f"{book}.jsonl"
        return self._read_lines(path) if path.exists() else []

    def list_open_tables(self) -> set[str]:
        """List the tables whose game began and is not over."""
        kinds: defaultdict[str, set[str]] = defaultdict(set)
        for line in self._read_lines(self._folder / "tables.jsonl"):
            kinds[line["table"]].add(line["record"]["record"])
        return {table for table, seen in kinds.items() if "played" in seen and table not in self.games}

    @staticmethod
    def _read_lines(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def check_evening(stories: Sequence[Story], export: Export) -> list[Found]:
    """List what was violated."""
    games = {table: Game(lines) for table, lines in export.games.items()}
    found = [Found("users", f"{story.user} ({story.way}): {fault}") for story in stories for fault in story.faults]
    found += [Found("moves", f"the game of {table} did not end") for table in export.list_open_tables()]
    found += [Found("deals", text) for text in _check_deals(stories, export, games)]
    for story in stories:
        label = f"{story.user} ({story.way})"
        found += [Found("moves", f"{label}: {text}") for text in _check_moves(story, games)]
        found += [Found("events", f"{label}: {text}") for text in _check_order(story)]
        found += [Found("secrets", f"{label}: {text}") for text in _check_secrets(story, games)]
        found += [Found("told", f"{label}: {text}") for text in _check_told(story)]
    found += [Found("events", text) for text in _compare_events(stories)]
    found += [Found("chat", text) for text in _check_chat(stories, export)]
    found += [Found("names", text) for text in _check_names(stories, export)]
    found += [Found("careers", text) for text in _check_careers(export, games)]
    return found


def _check_deals(stories: Sequence[Story], export: Export, games: dict[str, Game]) -> Iterator[str]:
    for table, game in games.items():
        if not game.verdict.verified:
            yield f"the game of {table} is not proved: {game.verdict}"
    for story in stories:
        for table, commitment in story.commitments.items():
            if table in games and games[table].exported.header.commitment != commitment:
                yield f"{story.user} saw another commitment of {table}"
        for table, lines in story.exported.items():
            if table not in games:
                yield f"{story.user} has exported the game of {table}, which is not there"
            elif lines[:-1] != export.games[table][: len(lines) - 1]:
                # The last line is the signature, which another node may have made anew.
                yield f"{story.user} has exported another game of {table}"


def _check_moves(story: Story, games: dict[str, Game]) -> Iterator[str]:
    tried: defaultdict[tuple[str, int, int], list[Tried]] = defaultdict(list)
    for move in story.moves:
        tried[move.table, move.seat, move.nth].append(move)
    for (table, seat, nth), moves in tried.items():
        game = games.get(table)
        if game is None:
            yield f"moved at {table}, of which there is no finished game"
            return
        kept, done = game.numbered.get((seat, nth)), [move for move in moves if move.outcome == "ok"]
        if len(done) > 1:
            yield f"move {nth} of {table} was acknowledged twice"
        for move in done:
            if kept is None or kept.move != move.move or kept.mover != "player":
                yield f"move {nth} of seat {seat} of {table} was {move.move}, and is {kept}"
        if kept is not None and kept.mover == "player" and all(move.outcome == "refused" for move in moves):
            yield f"move {nth} of seat {seat} of {table} was refused, and is there"
    if story.way in ("program", "client"):
        for table, seat in story.games.items():
            made = [] if table not in games else [nth for (by, nth), kept in games[table].numbered.items() if by == seat
                                                  and kept.mover == "player"]  # fmt: skip
            yield from (f"never tried move {nth} of {table}" for nth in made if (table, seat, nth) not in tried)


def _check_order(story: Story) -> Iterator[str]:
    latest: dict[str, int] = {}
    connections: dict[str, int] = {}
    for shown in story.shown:
        seq, table = shown.event["seq"], shown.table
        known = latest.get(table, 0)
        if seq != known + 1:
            yield (
                f"event {seq} of {table} came after {known}, by connection {shown.connection} after "
                f"{connections.get(table)}, {'live' if shown.is_notice else 'in a snapshot'}"
            )
        latest[table], connections[table] = seq, shown.connection


def _check_secrets(story: Story, games: dict[str, Game]) -> Iterator[str]:
    for shown in story.shown:
        game = games.get(shown.table)
        if game is None or shown.event["kind"] != "played":
            continue
        made = sum(shown.event["move_counts"])
        # Move by move: each event is that of one.
        known = game.list_facts(made, shown.seat)
        if shown.event["facts"] != known:
            yield f"was told {shown.event} of {shown.table}; seat {shown.seat} knows {known}"
        if shown.is_notice and not _is_view_of(shown, game, made):
            yield f"was shown {shown.view} after move {made} of {shown.table} at seat {shown.seat}"


def _is_view_of(shown: Shown, game: Game, made: int) -> bool:
    # What a node has read back comes as one change, with the View after all of it.
    return any(shown.view == game.show_view(moves, shown.seat) for moves in range(made, game.length + 1))


def _compare_events(stories: Sequence[Story]) -> Iterator[str]:
    """Compare what users were shown, but for what only one seat may know."""
    seen: dict[tuple[str, int], tuple[str, Any]] = {}
    ends: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for story in stories:
        for shown in story.shown:
            event = {key: value for key, value in shown.event.items() if key not in ("facts", "fact_sentences")}
            first, other = seen.setdefault((shown.table, shown.event["seq"]), (story.user, event))
            if other != event:
                yield f"{story.user} was shown {event} of {shown.table}, and {first} {other}"
            if event["kind"] == "finished":
                ends[shown.table][story.user] = event["seq"]
    for table, users in ends.items():
        if len({*users.values()}) > 1:
            yield f"{table} ended for users at different events: {users}"


def _check_chat(stories: Sequence[Story], export: Export) -> Iterator[str]:
    rows = [row["value"] for row in export.list_rows("chat")]
    kept = Counter(row["text"] for row in rows)
    places = {row["text"]: (row["channel"], row["n"]) for row in rows}
    yield from (f"the message {text!r} is there {count} times" for text, count in kept.items() if count > 1)
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        numbers[row["channel"]].append(row["n"])
    for channel, found in numbers.items():
        gaps = [(early, late) for early, late in pairwise(sorted(found)) if late != early + 1]
        yield from (f"in {channel} {late} follows {early}" for early, late in gaps)
    first = {channel: min(found) for channel, found in numbers.items()}
    for story in stories:
        yield from _check_said(story, places, first)
        came = (*story.caught_up, *story.heard)
        heard = Counter((message["channel"], message["table"], message["number"]) for message in came)
        yield from (f"{story.user} heard message {place} {count} times" for place, count in heard.items() if count > 1)
        yield from _find_missed(story, rows)
        for message in (*came, *story.read):
            channel = f"table/{message['table']}" if message["table"] else message["channel"]
            there = places.get(message["text"])
            if there != (channel, message["number"]) and message["number"] >= first.get(channel, 2**60):
                yield f"{story.user} was shown {message}, which is {there}"


def _find_missed(story: Story, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Find messages of the lobby between two that a program has, which reads what it has missed."""
    had = {message["number"] for message in (*story.caught_up, *story.heard) if message["channel"] == "lobby"}
    if story.way != "program" or not had:
        return
    own = {said.text for said in story.said}
    for row in rows:
        is_between = row["channel"] == "lobby" and min(had) < row["n"] < max(had)
        # Of their own ones users have the answer, which may be lost.
        if is_between and row["n"] not in had and row["text"] not in own:
            yield f"{story.user} has missed message {row['n']} of the lobby"


def _check_said(story: Story, places: dict[str, tuple[str, int]], first: dict[str, int]) -> Iterator[str]:
    for said in story.said:
        channel = f"table/{said.table}" if said.table else "lobby"
        place = places.get(said.text)
        if said.outcome == "ok" and place != (channel, said.number):
            # Channels of closed tables are gone, and old messages of the lobby.
            if channel in first and said.number >= first[channel]:
                yield f"the acknowledged message {said} of {story.user} is {place}"
        elif said.outcome == "refused" and place is not None:
            yield f"the refused message {said} of {story.user} is there as {place}"


def _check_told(story: Story) -> Iterator[str]:
    told: defaultdict[str, list[Told]] = defaultdict(list)
    for each in story.told:
        told[each.text].append(each)
    for given in story.given:
        if given.outcome == "ok" and given.text not in told:
            yield f"the {given.kind} {given.text!r}, given at {given.at:.1f}, never came"
    for text in told.keys() - {given.text for given in story.given}:
        yield f"{text!r} came, which nobody has given"
    for text, times in told.items():
        for early, late in pairwise(times):
            if not _was_lost_after(early, story.greeted[early.connection - 1]):
                yield f"{text!r} came at {early.at:.1f}, and again at {late.at:.1f}"


def _was_lost_after(told: Told, greeted: Greeted) -> bool:
    """Whether the connection by which something was told was lost before its node may have noted that."""
    return not greeted.has_left and greeted.until - told.at < _SETTLED_SECONDS


def _check_names(stories: Sequence[Story], export: Export) -> Iterator[str]:
    had: defaultdict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for story in stories:
        for greeted in story.greeted:
            had[greeted.name.casefold()].append((greeted.at, greeted.until, story.user))
            if not greeted.is_known:
                yield f"{story.user} came back at {greeted.at:.1f} as {greeted.name}, and was not known any more"
    for name, spans in had.items():
        for early, late in pairwise(sorted(spans)):
            if early[2] != late[2] and late[0] < early[1]:
                yield f"{early[2]} and {late[2]} had the name {name!r} at the same time"
    owners = Counter(row["value"]["name"].casefold() for row in export.list_rows("accounts"))
    yield from (f"the name {name!r} has {count} owners" for name, count in owners.items() if count > 1)
    for story in stories:
        if story.claimed and not owners[story.claimed.casefold()]:
            yield f"the name {story.claimed!r}, which {story.user} has claimed, has no owner"


def _check_careers(export: Export, games: dict[str, Game]) -> Iterator[str]:
    finished: Counter[str] = Counter()
    for row in export.list_rows("games"):
        seats = games[row["key"].removesuffix(".jsonl")].exported.header.seats
        # Games that begin with bots count for nobody.
        if all(seat.kind == "human" for seat in seats):
            finished.update(user for user in row["value"][2] if user)
    for row in export.list_rows("careers"):
        career, user = row["value"], row["key"]
        if career["finished"] != finished[user]:
            yield f"{career['finished']} games count for {user}, who has finished {finished[user]}"
        if career["running"]:
            yield f"{user} still plays at {career['running']}, by their career"
        tables = [each["table"] for each in career["recent"]]
        if len({*tables}) != len(tables):
            yield f"a game counts twice for {user}: {tables}"
