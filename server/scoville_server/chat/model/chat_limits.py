"""Bounds and rates of chat, over a time that is passed in."""

from collections.abc import Callable, Iterator
from math import ceil
from typing import Annotated

from msgspec import Meta, Struct

from scoville_server.chat.model.messages import LOBBY, WHISPERS, ChannelId
from scoville_server.limits.bounds import Seconds
from scoville_server.limits.live import Adjustable, Live, as_live
from scoville_server.limits.rate_budgets import Budget, Counter, Inbox, longest_wait, take_all
from scoville_server.limits.throttle import Rate, Source, Throttle
from scoville_shared.errors import Code, ScovilleError


class ChatLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every bound of chat. A rate is [times, seconds]."""

    lobby: int = 200
    """Newest messages of the lobby that are kept, for users who join later; up to a kilobyte each."""
    table: int = 100
    """Newest messages of each table that are kept: more than are written in a game."""
    club: int = 50
    """Newest messages of each club that are kept: those of an evening."""
    whispers: int = 50
    """Newest whispers that are kept for each user, received and sent."""
    slow_seconds: Annotated[
        Seconds,
        Meta(description="Slow mode: seconds that a user waits between two messages in the lobby; 0 is no wait."),
    ] = 0.0
    whisper_users: int = 1_000
    """Users whose whispers are kept; the least recently used make space."""
    ignored: int = 200
    """Users that one user may ignore."""
    muted: int = 100
    """Users that may be muted at one table."""
    messages: tuple[Rate, ...] = (Rate(5, 5.0), Rate(60, 300.0))
    """Messages of one user: five at once, for a joke in parts, and twelve a minute in the long run."""
    messages_per_address: tuple[Rate, ...] = (Rate(20, 5.0), Rate(240, 300.0))
    """Messages from one address, which may belong to a school."""
    messages_per_channel: Rate = Rate(60, 30.0)
    """Messages from all users together in the lobby, at one table or in one club: nobody reads faster."""
    whispers_received: Rate = Rate(60, 60.0)
    """Whispers that one user receives, however many users send them."""
    whispers_received_per_address: Rate = Rate(30, 60.0)
    """Whispers that one user receives from one address, however many users it has."""
    repeats: Rate = Rate(2, 30.0)
    """The same message in one channel: "no" twice is emphasis, a third time at once is noise."""
    reactions: tuple[Rate, ...] = (Rate(3, 9.0), Rate(20, 300.0))
    """Reactions of one user: they cost one key, so they are easily overdone."""
    reactions_per_address: tuple[Rate, ...] = (
        Rate(12, 9.0),
        Rate(80, 300.0),
    )
    """Reactions from one address."""
    reactions_at_table: Rate = Rate(30, 9.0)
    """Reactions from all users together at one table."""


_NO_LIMIT = Rate(0, 0.0)


def _rate_at(number: int) -> Callable[[tuple[Rate, ...]], Rate]:
    return lambda rates: rates[number] if number < len(rates) else _NO_LIMIT


class _Budgets:
    """Several rates per user and several per address: all of them must allow an action."""

    def __init__(self, user: Live[tuple[Rate, ...]], address: Live[tuple[Rate, ...]]) -> None:
        # As many as there are: scales change rates, never their number.
        numbers = range(max(len(user.value), len(address.value)))
        self._budgets = [Budget(user.select(_rate_at(number)), address.select(_rate_at(number))) for number in numbers]

    def counters_of(self, source: Source, now: float) -> Iterator[Counter]:
        for budget in self._budgets:
            yield from budget.list_counters(source, now)


class Paces:
    """Limits of sending and receiving. Times are seconds of any monotonic clock."""

    def __init__(self, limits: Adjustable[ChatLimits]) -> None:
        live = as_live(limits)
        limits = live.value
        self._messages = _Budgets(
            live.select(lambda limits: limits.messages), live.select(lambda limits: limits.messages_per_address)
        )
        self._reactions = _Budgets(
            live.select(lambda limits: limits.reactions), live.select(lambda limits: limits.reactions_per_address)
        )
        self._same = Throttle(limits.repeats.allowed, limits.repeats.seconds)
        self._channels = Inbox(_NO_LIMIT, limits.messages_per_channel)
        self._whispers = Inbox(
            live.select(lambda limits: limits.whispers_received_per_address), limits.whispers_received
        )
        self._slow = Throttle(1, limits.slow_seconds)
        live.follow(lambda limits: self._slow.change_rate(Rate(1, limits.slow_seconds)))
        self._tables = Inbox(_NO_LIMIT, limits.reactions_at_table)

    def count_message(self, source: Source, channel: ChannelId, text: str, now: float) -> list[Counter]:
        """Count a message, and return the counters. Raises ScovilleError `slow_down`, and counts nothing then."""
        # Each kind is looked at alone, for the sentence that says why; all are counted together, or none.
        same = Counter(self._same, (source.user, channel, hash(text.casefold())))
        inbox = self._whispers if channel.startswith(WHISPERS) else self._channels
        _check_wait(longest_wait([same], now), "You have just sent that")
        sent, received = [*self._messages.counters_of(source, now)], inbox.list_counters(channel, source, now)
        _check_wait(longest_wait(sent, now), "You are sending messages too fast")
        _check_wait(longest_wait(received, now), "There are too many messages there right now")
        slow = [Counter(self._slow, source.user)] if channel == LOBBY else []
        _check_wait(longest_wait(slow, now), "The lobby is in slow mode")
        counters = [same, *sent, *received, *slow]
        take_all(counters, now)
        return counters

    def count_reaction(self, source: Source, channel: ChannelId, now: float) -> None:
        """Count a reaction. Raises ScovilleError `slow_down`."""
        counters = [*self._reactions.counters_of(source, now), *self._tables.list_counters(channel, source, now)]
        _check_wait(take_all(counters, now), "You are sending reactions too fast")


def _check_wait(wait: float | None, why: str) -> None:
    """Raise ScovilleError `slow_down` if there is a wait."""
    if wait is not None:
        seconds = ceil(wait)
        unit = "second" if seconds == 1 else "seconds"
        raise ScovilleError(Code.SLOW_DOWN, f"{why}; wait {seconds} {unit}.", {"retry_after_ms": ceil(1000 * wait)})
