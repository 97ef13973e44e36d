"""Warnings and missed invitations reach users who change nodes once."""

import asyncio
from collections.abc import Sequence

import pytest

from scoville_server.journal.base import Change
from scoville_server.nodes.election import MISSING_SECONDS
from scoville_shared.protocol import messages as m
from tests.cluster.several import SeveralServers
from tests.support.server import Caller
from tests.support.virtual_time import in_virtual_time

SENT_SECONDS = 0.1


async def ben_away() -> tuple[SeveralServers, Caller, Caller]:
    """Two nodes; Anna is connected to the first one, and Ben was."""
    servers = SeveralServers("ab")
    await servers.start()
    for journal in servers.journals.values():
        journal.late_books = frozenset({"warnings", "invitations.missed"})
    anna, ben = await servers.come("Anna", "a"), await servers.come("Ben", "a")
    ben.hang_up()
    await asyncio.sleep(1)
    return servers, anna, ben


async def warn_or_invite(servers: SeveralServers, anna: Caller, what: str) -> None:
    """Tell Ben something that waits for him."""
    if what == "warning":
        core = servers.core("a")
        core.users.warnings.warn_for(core.sessions.known_user("Ben"), "Be kind.")
    else:
        table = await anna.create("high_card", 2)
        await anna.call(m.JoinRequest(table=table))
        await anna.call(m.InviteRequest(table=table, name="Ben"))
    await asyncio.sleep(SENT_SECONDS)


async def come_back(servers: SeveralServers, former: Caller, node: str) -> Caller:
    former.hang_up()
    assert former.welcome is not None
    caller = await Caller(servers.servers[node]).hello("Ben", former.welcome.token)
    await asyncio.sleep(SENT_SECONDS)
    return caller


def told(*callers: Caller) -> list[str]:
    kinds = (m.AccountWarnedNotice, m.InvitedNotice)
    return [type(notice).__name__ for caller in callers for notice in caller.peer.heard if isinstance(notice, kinds)]


WHAT = {"warning": "AccountWarnedNotice", "invitation": "InvitedNotice"}


@pytest.mark.parametrize("what", WHAT)
@in_virtual_time
async def test_what_the_former_node_has_sent_is_not_sent_again(what: str) -> None:
    servers, anna, ben = await ben_away()
    await warn_or_invite(servers, anna, what)
    servers.journals["b"].fall_behind()
    at_a = await come_back(servers, ben, "a")
    assert told(at_a) == [WHAT[what]]
    # That node still believes that it waits for him.
    at_b = await come_back(servers, at_a, "b")
    servers.journals["b"].catch_up()
    await asyncio.sleep(SENT_SECONDS)
    assert told(at_a, at_b, await come_back(servers, at_b, "a")) == [WHAT[what]]


@pytest.mark.parametrize("what", WHAT)
@in_virtual_time
async def test_what_a_node_takes_for_a_user_who_leaves_is_sent_by_the_next_one(what: str) -> None:
    servers, anna, ben = await ben_away()
    await warn_or_invite(servers, anna, what)
    journal, is_written = servers.journals["a"], asyncio.Event()
    write = journal.write

    async def write_late(changes: Sequence[Change]) -> None:
        await is_written.wait()
        await write(changes)

    journal.write = write_late  # type: ignore[method-assign]
    at_a = await come_back(servers, ben, "a")
    at_a.hang_up()
    is_written.set()
    await asyncio.sleep(SENT_SECONDS)
    at_b = await come_back(servers, at_a, "b")
    assert (told(at_a), told(at_b)) == ([], [WHAT[what]])


@in_virtual_time
async def test_invitation_comes_where_the_node_of_its_table_has_not_heard_of_the_return() -> None:
    """That node noted it anew, as one more that was missed; the one that had asked took it for sent, and it out."""
    servers, anna, ben = await ben_away()
    await warn_or_invite(servers, anna, "invitation")
    connections = servers.core("a").connections
    connections.locate_user = lambda *_: None  # type: ignore[method-assign]
    at_b = await come_back(servers, ben, "b")
    await asyncio.sleep(1)
    assert told(at_b, await come_back(servers, at_b, "b")) == [WHAT["invitation"]]


@pytest.mark.parametrize("what", WHAT)
@in_virtual_time
async def test_what_was_told_while_a_node_is_behind_is_sent_once_it_knows(what: str) -> None:
    servers, anna, ben = await ben_away()
    servers.journals["b"].fall_behind()
    at_b = await come_back(servers, ben, "b")
    await warn_or_invite(servers, anna, what)
    servers.journals["b"].catch_up()
    await asyncio.sleep(SENT_SECONDS)
    assert told(at_b, await come_back(servers, at_b, "a")) == [WHAT[what]]


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("after", [1, 2])
@in_virtual_time
async def test_what_a_killed_node_was_about_to_send_is_sent_by_the_next_one(after: int, what: str) -> None:
    servers, anna, ben = await ben_away()
    await warn_or_invite(servers, anna, what)
    former = servers.journals["a"]
    write, writes = former.write, 0

    async def write_and_die(changes: Sequence[Change]) -> None:
        nonlocal writes
        writes += any(change.book in former.late_books for change in changes)
        # Kept by the engine, whose answer nobody hears any more.
        if writes == after:
            former.dies_at, former.is_kept = former.writes, True
        await write(changes)

    former.write = write_and_die  # type: ignore[method-assign]
    at_a = await come_back(servers, ben, "a")
    assert servers.is_dead("a")
    # The other node has not missed it yet.
    at_b = await come_back(servers, at_a, "b")
    await asyncio.sleep(MISSING_SECONDS + 2)
    # Taken out of the row at the second write: by then it was sent.
    assert (told(at_a), told(at_b)) == (([], [WHAT[what]]) if after == 1 else ([WHAT[what]], []))
