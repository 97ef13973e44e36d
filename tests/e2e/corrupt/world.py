"""A server's folder with every kind of record, and its contents after each commit."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

from scoville_server.journal.contents import JournalContents
from scoville_server.journal.store import Store
from scoville_server.moderation.bans import Ban
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    ClaimNameRequest,
    IgnoreRequest,
    JoinRequest,
    MovesRequest,
    PlayRequest,
    PollRequest,
    SayRequest,
    StartRequest,
)
from tests.support.server import Caller, core_of, toy_server


class State(NamedTuple):
    """Contents of a journal, for comparisons."""

    tables: dict[str, tuple[bytes, ...]]
    users: tuple[Any, ...]
    books: dict[tuple[str, str], bytes]

    @classmethod
    def of(cls, kept: JournalContents) -> "State":
        """Return a journal's contents as plain values."""
        books = {(book, key): row.value for book, rows in kept.books.items() for key, row in rows}
        return cls({str(table): tuple(rows) for table, rows in kept.tables.items()}, tuple(kept.users), books)


class World(NamedTuple):
    """A folder as a server left it, and the states after its commits up to the last."""

    folder: Path
    states: list[State]


class Recorder:
    """Records a journal's contents after each commit."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self._commit = Store.commit_writes

    def __enter__(self) -> "Recorder":
        recorder, commit = self, self._commit

        def recorded(store: Store, writes: Any) -> list[Any]:
            results = commit(store, writes)
            recorder.states.append(State.of(store.load_rows()))
            return results

        Store.commit_writes = recorded  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        Store.commit_writes = self._commit  # type: ignore[method-assign]


async def build_worlds(place: Path) -> list[World]:
    """Let users play, talk, claim names and ignore each other, in two runs: the second one's log is not folded in.

    Returns the folder as a kill leaves it, and as it is when the server has closed.
    """
    folder = place / "building"
    with Recorder() as recorder:
        for run in range(2):
            server = toy_server(Settings(data=folder))
            await server.start()
            for number in range(3):
                await _play_moves(server, f"{run}{number}", moves=4 + 3 * number)
            await core_of(server).background.finish_tasks()
            if run == 1:
                shutil.copytree(folder, place / "killed")
                killed = World(place / "killed", [*recorder.states])
            await server.close()
    shutil.copytree(folder, place / "closed")
    return [killed, World(place / "closed", recorder.states)]


def _make_ban(tag: str) -> Ban:
    return Ban(
        id=0,
        kind="address",
        target=f"192.0.2.{int(tag)}",
        scope="server",
        reason="",
        by="Anna",
        since_ms=0,
        until_ms=None,
    )


async def _play_moves(server: Any, tag: str, moves: int) -> None:
    users = [await Caller(server).hello(f"{name} {tag}") for name in ("Anna", "Ben")]
    anna, ben = users
    if tag == "00":
        await anna.call(ClaimNameRequest(password="correct horse battery staple"))
    if tag.startswith("0"):
        await core_of(server).moderation_records.bans.add_ban(_make_ban(tag), 0)
    await ben.call(IgnoreRequest(name=f"Anna {tag}"))
    table = await anna.create("high_card", 2)
    for user in users:
        await user.call(JoinRequest(table=table))
    await anna.call(SayRequest(text=f"Who plays? {tag}"))
    await ben.call(SayRequest(table=table, text="Good luck!"))
    await anna.call(StartRequest(table=table))
    for _ in range(moves):
        seen = await anna.call(PollRequest(table=table))
        for user, seat in zip(users, (0, 1), strict=True):
            if seat in seen.pending:
                first = (await user.call(MovesRequest(table=table))).moves[0]
                await user.call(PlayRequest(table=table, move=first))
                break
