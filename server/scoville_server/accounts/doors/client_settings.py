"""Settings of clients that the server keeps with a user, for clients without a disk of their own."""

from collections.abc import Mapping
from math import isfinite
from typing import Any, Final

import msgspec
from msgspec import Struct

from scoville_server.accounts.model.account_limits import AccountLimits
from scoville_server.accounts.orphans import IsKnown, drop_orphans
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import UserObserver, Users
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.errors import slow_down
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_server.limits.fair_shares import Shares
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.limits.rate_budgets import Budget
from scoville_server.limits.throttle import Source
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import UserId
from scoville_shared.protocol.messages import SETTINGS_BYTES
from scoville_shared.values import Plain

_LEVELS: Final = 8
"""Levels of maps and lists inside the settings."""


class SavedSettings(Struct, frozen=True, kw_only=True):
    """A user's settings, as MessagePack."""

    packed: bytes


class ClientSettings(UserObserver):
    """The settings in a book by user, at most `limits.client_settings`; guests who are not here make room."""

    def __init__(
        self, users: Users, limits: Adjustable[AccountLimits], journal: Journal, background: BackgroundTasks
    ) -> None:
        limits = as_live(limits)
        self._users = users
        self._most = limits.select(lambda limits: limits.client_settings)
        self._saves = Budget(
            limits.select(lambda limits: limits.settings_saves),
            limits.select(lambda limits: limits.settings_saves_per_address),
        )
        self._background = background
        self._book = PackedBook("client_settings", SavedSettings, journal)
        self._shares: Shares[UserId] = Shares()
        """Settings saved since the server started, by network."""

    def settings_of(self, user: UserId) -> Plain | None:
        """Return a user's settings, None if there are none."""
        saved = self._book.get(user)
        return None if saved is None else msgspec.msgpack.decode(saved.packed, type=Plain)

    async def save_settings(self, user: User, settings: Plain, source: Source) -> None:
        """Save settings in place of earlier ones. Raises ScovilleError `too_many`, `slow_down`, `bad_params`."""
        wait = self._saves.take_use(source, self._users.time.seconds())
        if wait is not None:
            raise slow_down("You save your settings too often", wait)
        packed = _pack_settings(settings)
        room = self._make_room(user, source)
        await self._users.write_user(user)
        changes: dict[str, SavedSettings | None] = dict.fromkeys(room)
        await self._book.write_rows({**changes, user.id: SavedSettings(packed=packed)})
        self._shares.hold_thing(user.id, source.networks)
        for other in room:
            self._shares.release_thing(other)

    def export_user(self, user: User) -> Mapping[str, Any]:
        return {"client_settings": self.settings_of(user.id)}

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(lambda: drop_orphans(self._book, is_known))

    def user_forgotten(self, user: UserId) -> None:
        """Delete the settings of a user who is forgotten."""
        self._shares.release_thing(user)
        if user in self._book:
            self._background.insist_on_write(lambda: self._book.drop_row(user))

    def _make_room(self, user: User, source: Source) -> list[UserId]:
        """Choose whose settings make room. Raises ScovilleError `too_many`."""
        free = self._most.value - len(self._book)
        over = self._shares.refuses_more(source.networks, max(free, 0))
        if user.id in self._book or (free > 0 and not over):
            return []
        # A network with more than its share makes room among its own users.
        others = list(self._shares.list_things(source.networks[-1])) if over else map(UserId, self._book.keys)
        leaving = next(filter(self._may_go, others), None)
        if leaving is None:
            raise ScovilleError(Code.TOO_MANY, "This server has no room for more settings.")
        return [leaving]

    def _may_go(self, number: UserId) -> bool:
        user = self._users.sessions.find_user(number)
        return user is None or (user.is_idle and not user.claimed)


def _pack_settings(settings: Plain) -> bytes:
    """Encode settings. Raises ScovilleError `too_many`, `bad_params`."""
    if not _is_plain(settings, _LEVELS):
        sentence = (
            "Settings are maps with text keys, lists, texts, finite numbers, booleans and nil, "
            f"in at most {_LEVELS} levels."
        )
        data = {"method": "account.save_settings", "field": "client_settings"}
        raise ScovilleError(Code.BAD_PARAMS, sentence, data)
    packed = msgspec.msgpack.encode(settings)
    if len(packed) > SETTINGS_BYTES:
        raise ScovilleError(
            Code.TOO_MANY, f"Settings may have {SETTINGS_BYTES} bytes; these have {len(packed)}. Nothing was saved."
        )
    return packed


def _is_plain(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        return levels > 0 and all(isinstance(key, str) and _is_plain(each, levels - 1) for key, each in value.items())
    if isinstance(value, list):
        return levels > 0 and all(_is_plain(each, levels - 1) for each in value)
    if isinstance(value, float):
        return isfinite(value)  # JSON has no other numbers, and NaN is not even equal to itself
    return value is None or isinstance(value, bool | int | str)
