"""Mutation of a server's messages: fields of any type, and messages lost, doubled, swapped, forged or in floods."""

from collections.abc import Iterable
from random import Random
from typing import Any

import msgpack

from scoville_shared.protocol.messages import NOTICES, AnyTableEvent
from tests.support.hostile import PAYLOADS, fill_type

_NUMBERS = (-1, 0, 1, 2, 7, 99, 2**31, 2**53, 2**63 - 1, -(2**63), 2**64 - 1, 1.5, float("inf"), float("nan"))
_OTHERS = (
    None,
    True,
    False,
    "",
    "x",
    [],
    {},
    [[]],
    {"": None},
    b"\xff",
    "waiting",
    "playing",
    "finished",
    "bot",
    "open",
)
_WORDS = ("waiting", "playing", "finished", "bot", "human", "open", "dicht_dran", "no_thanks", "chilli_chase")
_FLOOD = 300
_MANY = 3_000


class Mutator:
    """Mutates a random message in `every`; the first ones, which connect a client, rarely."""

    def __init__(self, chance: Random, every: int = 6) -> None:
        self._chance = chance
        self._every = every
        self._kept: list[Any] = []
        self._held: list[Any] = []

    def __call__(self, message: Any) -> Iterable[bytes]:
        """Send something in place of a message."""
        self._kept = [*self._kept[-20:], message]
        sent = [message]
        if self._chance.randrange(self._every) == 0:
            sent = self._changed(message)
        sent += self._held if sent else []
        if sent:
            self._held = []
        for each in sent:
            yield each if isinstance(each, bytes) else msgpack.packb(each)

    def _changed(self, message: Any) -> list[Any]:
        roll = self._chance.random()
        if roll < 0.70:
            return [self._mutated_message(message)]
        if roll < 0.76:
            return [message, message]
        if roll < 0.80:
            self._held.append(message)  # it comes after the next one
            return []
        if roll < 0.85:
            return [message, self._chance.choice(self._kept)]
        if roll < 0.88:
            return [message, [1, self._chance.choice((99, 2**32 - 1, -1)), None, {}]]
        if roll < 0.93:
            return [message, *[self._mutated_message(self._chance.choice(self._kept))] * _FLOOD]
        if roll < 0.98:
            return [message, self._forged()]
        return [message, self._chance.randbytes(self._chance.choice((1, 8, 100)))]

    def in_game(self, message: Any) -> Iterable[bytes]:
        """Send an event of a game with something in its View, its facts or its moves changed; the rest as it is."""
        if message[:2] == [2, "table.event"] and self._chance.randrange(self._every) == 0:
            [body] = message[2]
            event = body["event"]
            if self._chance.random() < 0.2 and body["view"]:
                body["view"] = self._mutated(body["view"])
            else:
                fields = [field for field in ("facts", "pending", "move_counts") if event.get(field)]
                for field in fields and [self._chance.choice(fields)]:
                    event[field] = self._mutated(event[field])
        yield msgpack.packb(message)

    def _mutated_message(self, message: Any) -> Any:
        kind, name, *parts = message
        for _ in range(self._chance.choice((1, 1, 1, 2, 4))):
            place = self._chance.randrange(len(parts))
            parts[place] = self._mutated(parts[place])
        return [kind, name, *parts]

    def _forged(self) -> Any:
        """Make up a notice, or an event, of any type."""
        name = self._chance.choice([*NOTICES])
        body = fill_type(NOTICES[name], self._chance.choice(("x", *PAYLOADS)))
        tables = [part for message in self._kept for part in _tables(message)]
        if "table" in body and tables:
            body["table"] = self._chance.choice(tables)
        if "event" in body:
            kind = self._chance.choice(AnyTableEvent.__args__)
            body["event"] = {**fill_type(kind, "x"), "seq": self._chance.choice((0, 1, 5, 2**40))}
        return [2, name, [self._mutated(body)]]

    def _mutated(self, plain: Any) -> Any:
        """Change one value somewhere in plain data."""
        if isinstance(plain, dict) and plain and self._chance.random() < 0.93:
            key = self._chance.choice([*plain])
            changed = {**plain, key: self._mutated(plain[key])}
            if self._chance.random() < 0.05:
                del changed[key]
            return changed
        if isinstance(plain, list) and plain and self._chance.random() < 0.85:
            place = self._chance.randrange(len(plain))
            return [*plain[:place], self._mutated(plain[place]), *plain[place + 1 :]]
        return self._other(plain)

    def _other(self, plain: Any) -> Any:
        """Return a value in place of another, most often of its type."""
        if self._chance.random() < 0.15:
            return self._chance.choice((*_OTHERS, *_NUMBERS))
        if isinstance(plain, bool):
            return not plain
        if isinstance(plain, int):
            return self._chance.choice((*_NUMBERS[:11], plain + 1, plain - 1))
        if isinstance(plain, float):
            return self._chance.choice(_NUMBERS)
        if isinstance(plain, str):
            return self._chance.choice(("", plain + plain, plain[:-1], *_WORDS, *PAYLOADS))
        if isinstance(plain, list):
            return self._chance.choice((plain[:-1], [*plain, *plain], plain[:1] * _MANY, [], plain[::-1]))
        return self._chance.choice((*_OTHERS, *_NUMBERS))


def _tables(plain: Any) -> Iterable[str]:
    """Find ids of tables in a message."""
    if isinstance(plain, dict):
        if isinstance(plain.get("table"), str):
            yield plain["table"]
        for item in plain.values():
            yield from _tables(item)
    elif isinstance(plain, list):
        for item in plain:
            yield from _tables(item)
