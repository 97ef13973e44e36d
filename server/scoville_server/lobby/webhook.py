"""The webhook: an HTTP request to another program when a public table waits for players."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final

from scoville_server.background.tasks import BackgroundTasks
from scoville_server.limits.live import Adjustable, as_live
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.model.table import Table
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.ids import TableId

_HARMLESS = frozenset(" ',-")
_FULLWIDTH = 0xFEE0
"""Distance from a sign of ASCII to its fullwidth twin in Unicode."""


def without_markup(text: str) -> str:
    """Return a text that is shown as it is everywhere: one line, no mentions, links or formatting."""
    line = " ".join(text.split())
    return "".join(_show_char(char, line[index + 1 : index + 2]) for index, char in enumerate(line))


def _show_char(char: str, following: str) -> str:
    if not char.isascii() or char.isalnum() or char in _HARMLESS:
        return char
    if char == ".":  # the end of a sentence or an abbreviation, but no part of a domain
        return ". " if following.isalnum() else char
    return chr(ord(char) + _FULLWIDTH)


_log = logging.getLogger(__name__)

SECONDS = 5.0
"""Timeout of a request in seconds: no player waits for it, but the server does when it closes."""

MOST_AT_ONCE = 4
"""Most requests at a time; further tables are not announced."""

_NO_MENTIONS: Final = {"allowed_mentions": {"parse": []}, "link_names": False, "mrkdwn": False}
"""Options for Discord and Slack to take the text literally; names are free of markup anyway."""

Post = Callable[[str, dict[str, Any]], Awaitable[None]]


class Webhook(TableObserver):
    """Announces each table once, when a player is seated and others can join. An empty `url` turns it off."""

    observed = frozenset({Change.STATUS, Change.SEATS})

    def __init__(self, url: Adjustable[str], background: BackgroundTasks, post: Post | None = None) -> None:
        self._url = as_live(url)
        self._background = background
        self._post = post or _post_json
        self._announced: set[TableId] = set()
        self._under_way = 0

    def table_opened(self, actor: TableActor) -> None:
        # One that is restored with its players was announced before the restart.
        if _waits_for_players(actor.table):
            self._announced.add(actor.table.id)

    def table_changed(self, actor: TableActor, done: Done) -> None:  # noqa: ARG002 - the table is in what was done
        table = done.after
        if self._url.value and table.id not in self._announced and _waits_for_players(table):
            self._announced.add(table.id)
            if self._under_way < MOST_AT_ONCE:
                self._under_way += 1
                self._background.start_task(self._report_table(_describe_table(table)))

    def table_removed(self, actor: TableActor) -> None:
        self._announced.discard(actor.table.id)

    async def _report_table(self, what: dict[str, Any]) -> None:
        try:
            await self._post(self._url.value, what)
        except (OSError, ValueError) as error:
            _log.warning("The webhook could not be called for table %s: %s", what["table"], _reason_of(error))
        finally:
            self._under_way -= 1


def _waits_for_players(table: Table) -> bool:
    """Whether a table is public and has players who wait for others."""
    public = not (table.opened.settings.private or table.locked)
    return public and table.status == "waiting" and bool(table.human_seats) and bool(table.free_seats)


def _describe_table(table: Table) -> dict[str, Any]:
    info = table.game.info
    players = [without_markup(table.seats[seat].name) for seat in sorted(table.human_seats)]
    return {
        "event": "table_waiting",
        "table": table.id,
        "code": table.opened.code,
        "game": info.slug,
        "title": info.title,
        "players": players,
        "free": len(table.free_seats),
        "text": f"{' and '.join(players)} would like to play {info.title}; join with the code {table.opened.code}.",
        **_NO_MENTIONS,
    }


async def _post_json(url: str, what: dict[str, Any]) -> None:
    """Post a mapping as JSON. Raises OSError."""
    await asyncio.to_thread(_send_body, url, json.dumps(what).encode())


def _reason_of(error: Exception) -> object:
    from urllib.error import URLError

    return error.reason if isinstance(error, URLError) else error


def _send_body(url: str, body: bytes) -> None:
    # Slow to load; few servers have a webhook.
    import urllib.request

    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})  # noqa: S310 - checked at the start
    with urllib.request.urlopen(request, timeout=SECONDS):  # noqa: S310 - the host's own address
        pass
