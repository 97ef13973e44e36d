"""Puzzles of a server in a client: that of the day first, rated by the server, each once."""

from collections.abc import AsyncIterator, Iterator

import pytest

from scoville_client.puzzles.layout import lay_out_puzzle
from scoville_client.puzzles.sentences import daily_sentence
from scoville_client.puzzles.server import ServerPuzzles
from scoville_client.session.daily import PUZZLES
from scoville_client.session.session import Session
from scoville_client.transport.in_process import LocalLink
from scoville_shared.protocol import messages as m
from tests.server.daily.machine import Machine
from tests.shared.puzzles.samples import sample_pool, with_pools

MONDAY = 1_759_752_000_000


@pytest.fixture(autouse=True)
def pools() -> Iterator[None]:
    with with_pools(sample_pool("no_thanks", *range(1_000, 2_000, 100))):
        yield


@pytest.fixture
async def session() -> AsyncIterator[Session]:
    machine, made = Machine(MONDAY), Session()
    async with machine.run() as server:
        await made.connect(LocalLink(server), "Anna")
        yield made
        await made.close()


async def test_the_puzzle_of_the_day_comes_first_and_once(session: Session) -> None:
    assert PUZZLES in session.connection.features
    source = ServerPuzzles(session.connection.send_request, daily=True)
    assert daily_sentence(await source.show()) == "Puzzle of the day: No Thanks!, not tried yet."
    daily = await source.pose_next()
    assert daily is not None
    at = lay_out_puzzle(daily, "Anna")
    move = at.game.codec.encode_plain(next(iter(at.legal_moves())))
    answer = await source.answer(daily, move)
    assert (answer.place, answer.rated) == (0, True)
    assert (await source.read_rating()).rating == answer.after
    assert daily_sentence(await source.show()) == "Puzzle of the day: No Thanks!, tried."
    following = await ServerPuzzles(session.connection.send_request, daily=True).pose_next("", daily.id)
    assert following is not None
    assert following.id != daily.id
    [count] = await source.list_counts()
    assert (count.game, count.puzzles, count.tried, count.solved) == ("no_thanks", 10, 1, 1)


async def test_an_answer_is_asked_for_once(session: Session) -> None:
    source = ServerPuzzles(session.connection.send_request)
    posed = await source.pose_next("no_thanks")
    assert isinstance(posed, m.PuzzleInfo)
    wrong = await source.answer(posed, {"action": "pass"})
    assert wrong.after < wrong.before
    assert await source.answer(posed, {"action": "take"}) == wrong
