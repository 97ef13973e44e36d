"""Conditional moves as users type and read them: `3x take if pot=5; stop if fact=turned_up; pass`.

A line is a move, or `stop`, and perhaps what one fact of the game since then must contain.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, get_args

import msgspec

from scoville_client.i18n.language import tr
from scoville_client.session.changes import PlanEnded, Publish, Request
from scoville_client.session.table.move_input import list_typed_moves, match_moves
from scoville_client.session.table.table import AtTable
from scoville_client.transport.base import LinkError
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    MOST_PLAN_LINES,
    MOST_PLANNED,
    PlanEnd,
    PlanLine,
    PlanLineParams,
    PlanReply,
    PlanValue,
    ShowPlanRequest,
)
from scoville_shared.values import Plain

STOP: Final = "stop"
_IF: Final = " if "
_TIMES: Final = re.compile(r"\s*(?P<most>[0-9]{1,3})x\s+")
_SEAT: Final = "seat"
"""The field of facts that names a player: users type the player's name, or the number of the seat from 1."""
_ENDS: Final[Mapping[PlanEnd, Phrase]] = {
    "done": Phrase("Your plan has ended: all its moves are made."),
    "stopped": Phrase("Your plan has stopped as you wanted; it is your turn."),
    "unmet": Phrase("Your plan has ended: none of its conditions held when it was your turn."),
    "illegal": Phrase("Your plan has ended: its move was not possible when it was your turn."),
}


def end_of_plan(reply: PlanReply) -> Phrase | None:
    """Return why the latest plan ended; None without one."""
    return None if reply.ended is None else _ENDS[reply.ended]


class PlanWatch:
    """Tells a user why their plan for the current table has ended, once it is their turn there.

    The server sends nothing by itself: a plan leaves no event.
    """

    def __init__(self, request: Request, publish: Publish) -> None:
        self._request = request
        self._publish = publish
        self._asked: tuple[str, int, bool] | None = None
        self._task: asyncio.Task[None] | None = None

    def follow_table(self, at: AtTable | None) -> None:
        """Ask about the plan when the user arrives at a game by correspondence, and when it is their turn."""
        if at is None or at.seat is None or at.info.status != "playing" or not at.info.clock.by_days:
            self._asked = None
            return
        now = at.id, at.played[at.seat], at.my_turn
        known = self._asked is not None and self._asked[0] == at.id
        if now == self._asked or (known and not at.my_turn):
            return
        self._asked = now
        self.stop_asking()
        self._task = asyncio.get_running_loop().create_task(self._ask_for_end(at))

    def stop_asking(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _ask_for_end(self, at: AtTable) -> None:
        # An older server has no plans, and without a connection the next turn asks again.
        with suppress(ScovilleError, LinkError):
            reply = await self._request(ShowPlanRequest(table=at.id), PlanReply)
            if (sentence := end_of_plan(reply)) is not None:
                self._publish(PlanEnded(sentence))


def parse_plan(at: AtTable, typed: str) -> tuple[list[PlanLineParams], int]:
    """Parse a plan: its lines, and the most moves that it makes. Raises ValueError with a sentence."""
    times = _TIMES.match(typed)
    lines = [line.strip() for line in typed[times.end() if times else 0 :].split(";") if line.strip()]
    most = int(times["most"]) if times else 1
    if not 1 <= most <= MOST_PLANNED or len(lines) > MOST_PLAN_LINES:
        bounds = {"moves": MOST_PLANNED, "lines": MOST_PLAN_LINES}
        raise ValueError(tr("A plan has at most {lines} lines and makes 1 to {moves} moves.", **bounds))
    return [_parse_line(at, line) for line in lines], most


def _parse_line(at: AtTable, typed: str) -> PlanLineParams:
    move, _, conditions = typed.partition(_IF)
    when = dict(_parse_condition(at, word) for word in conditions.split())
    return PlanLineParams(when=when, move=None if move.strip().casefold() == STOP else _parse_move(at, move.strip()))


def _parse_move(at: AtTable, typed: str) -> Plain:
    codec = at.game.codec
    if "=" in typed:
        fields = dict(_parse_condition(at, word) for word in typed.split())
        try:
            return codec.encode_plain(codec.decode_move(fields))
        except CodecError as error:
            raise ValueError(tr("{typed} is not a move: {reason}.", typed=typed, reason=str(error))) from error
    found = match_moves(at.game, [*at.legal_moves()], typed, at.names) or list_typed_moves(at.game, typed)
    if len(found) != 1:
        raise ValueError(tr("{typed} is not a move that can be planned.", typed=typed))
    return codec.encode_plain(found[0])


def _parse_condition(at: AtTable, word: str) -> tuple[str, PlanValue]:
    field, equals, value = word.partition("=")
    if not (field and equals and value):
        raise ValueError(tr("{typed} is not a condition; type a field and its value, such as pot=5.", typed=word))
    if field == _SEAT:
        return field, _parse_seat(at, value)
    if value in ("true", "false"):
        return field, value == "true"
    # Longer ones stay a text: no fact has such a number, and parsing thousands of digits takes long.
    digits = value.removeprefix("-")
    return field, int(value) if digits.isascii() and digits.isdigit() and len(digits) < 10 else value


def _parse_seat(at: AtTable, typed: str) -> int:
    for seat, name in enumerate(at.names):
        if typed.casefold() in (name.casefold(), str(seat + 1)):
            return seat
    raise ValueError(tr("No player called {name} is at this table.", name=typed))


def write_plan(at: AtTable, reply: PlanReply) -> str:
    """Write a plan as it is typed."""
    times = f"{reply.moves_left}x " if reply.moves_left > 1 else ""
    return times + "; ".join(_write_line(at, line) for line in reply.plan_lines)


def _write_line(at: AtTable, line: PlanLine) -> str:
    move = STOP if line.move is None else _write_move(line.move)
    words = [_write_field(at, field, value) for field, value in line.when.items()]
    return f"{move}{_IF}{' '.join(words)}" if words else move


def _write_move(move: Plain) -> str:
    values = [key if value is True else str(value) for key, value in move.items()]
    return values[0] if len(values) == 1 else " ".join(f"{key}={value}" for key, value in move.items())


def _write_field(at: AtTable, field: str, value: PlanValue) -> str:
    if field == _SEAT and isinstance(value, int) and 0 <= value < len(at.names):
        name = at.names[value]
        # A space ends a condition, so a name with one is written as the number of its seat.
        return f"{field}={value + 1 if ' ' in name else name}"
    return f"{field}={str(value).lower() if isinstance(value, bool) else value}"


def describe_fields(game: AnyGame) -> str:
    """Describe possible conditions: each kind of fact of a game, and its fields with one value."""
    return tr("Conditions can ask for: {fields}", fields="; ".join(_list_fields(game)))


def _list_fields(game: AnyGame) -> Iterator[str]:
    for kind in get_args(game.codec.fact_type) or (game.codec.fact_type,):
        fields = [field.encode_name for field in msgspec.structs.fields(kind) if _has_one_value(field.type)]
        yield " ".join([f"fact={kind.__struct_config__.tag}", *(f"{field}=…" for field in fields)])


def _has_one_value(kind: Any) -> bool:
    return not any(getattr(part, "__origin__", part) in (tuple, list, dict) for part in (kind, *get_args(kind)))
