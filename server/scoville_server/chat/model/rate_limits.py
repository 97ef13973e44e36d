"""Rate limits of chat, over a time that is passed in."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from math import ceil

from scoville_server.chat.model.limits import ChatLimits
from scoville_server.chat.model.messages import WHISPERS, ChannelId
from scoville_server.limits.rate_budgets import Budget, Counter, Inbox, longest_wait, take_all
from scoville_server.limits.throttle import Rate, Source, Throttle
from scoville_shared.errors import Code, ScovilleError

_NO_LIMIT = Rate(0, 0.0)


class _Budgets:
    """Several rates per user and several per address: all of them must allow an action."""

    def __init__(self, user: Iterable[Rate], address: Iterable[Rate]) -> None:
        self._budgets = [Budget(*rates) for rates in zip_longest(user, address, fillvalue=_NO_LIMIT)]

    def counters_of(self, source: Source, now: float) -> Iterator[Counter]:
        for budget in self._budgets:
            yield from budget.list_counters(source, now)


class Paces:
    """Limits of sending and receiving. Times are seconds of any monotonic clock."""

    def __init__(self, limits: ChatLimits) -> None:
        self._messages = _Budgets(limits.messages, limits.messages_per_address)
        self._reactions = _Budgets(limits.reactions, limits.reactions_per_address)
        self._same = Throttle(limits.repeats.allowed, limits.repeats.seconds)
        self._channels = Inbox(_NO_LIMIT, limits.messages_per_channel)
        self._whispers = Inbox(limits.whispers_received_per_address, limits.whispers_received)
        self._tables = Inbox(_NO_LIMIT, limits.reactions_at_table)

    def count_message(self, source: Source, channel: ChannelId, text: str, now: float) -> list[Counter]:
        """Count a message, and return the counters. Raises ScovilleError `slow_down`, and counts nothing then."""
        same = Counter(self._same, (source.user, channel, hash(text.casefold())))
        inbox = self._whispers if channel.startswith(WHISPERS) else self._channels
        _check_wait(longest_wait([same], now), "You have just sent that")
        sent, received = [*self._messages.counters_of(source, now)], inbox.list_counters(channel, source, now)
        _check_wait(longest_wait(sent, now), "You are sending messages too fast")
        _check_wait(longest_wait(received, now), "There are too many messages there right now")
        counters = [same, *sent, *received]
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
