"""A server whose data folder vanishes acknowledges nothing meanwhile, and informs its host and players."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import (
    AnnouncedNotice,
    JoinRequest,
    MovesRequest,
    PlayRequest,
    PollRequest,
    StartRequest,
)
from tests.server.conftest import Start
from tests.support.server import Caller, until


async def seated(server: Server) -> tuple[str, Caller, Caller]:
    anna, ben = await Caller(server).hello("Anna"), await Caller(server).hello("Ben")
    table = await anna.create("high_card", 2)
    for user in (anna, ben):
        await user.call(JoinRequest(table=table))
    await anna.call(StartRequest(table=table))
    return table, anna, ben


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def replace_by_a_copy(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    shutil.copytree(folder.with_name("elsewhere"), folder, ignore=shutil.ignore_patterns("*.sock"))


@pytest.mark.parametrize("sabotage", [remove, replace_by_a_copy])
async def test_no_move_is_acknowledged_after_the_folder_is_gone(
    start: Start, sabotage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    server = await start()
    table, anna, ben = await seated(server)
    seen = await anna.call(PollRequest(table=table))
    move = (await anna.call(MovesRequest(table=table))).moves[0]
    assert server.settings.data is not None
    sabotage(server.settings.data)
    for _ in range(20):
        with pytest.raises(ScovilleError, match="until it is started again") as refused:
            await anna.call(PlayRequest(table=table, move=move))
        assert refused.value.code == Code.STORAGE_LOST
    with pytest.raises(ScovilleError) as refused:
        await ben.create()
    assert refused.value.code == Code.STORAGE_LOST
    assert (await anna.call(PollRequest(table=table))).seq == seen.seq
    assert server.settings.data.exists() == (sabotage is replace_by_a_copy)
    complaints = [record.message for record in caplog.records]
    assert [str(server.settings.data) in complaint for complaint in complaints] == [True]
    for user in (anna, ben):
        await until(lambda user=user: any(isinstance(n, AnnouncedNotice) for n in user.peer.heard))
        texts = [notice.text for notice in user.peer.heard if isinstance(notice, AnnouncedNotice)]
        assert len(texts) == 1
        assert "nothing can be saved" in texts[0]


async def test_a_game_goes_on_when_its_folder_is_back(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    server = await start()
    table, anna, _ = await seated(server)
    move = (await anna.call(MovesRequest(table=table))).moves[0]
    data = server.settings.data
    assert data is not None
    data.rename(data.with_name("elsewhere"))
    for _ in range(3):
        with pytest.raises(ScovilleError) as refused:
            await anna.call(PlayRequest(table=table, move=move))
        assert refused.value.code == Code.NOT_SAVED
    data.with_name("elsewhere").rename(data)
    seen = await anna.call(PollRequest(table=table))
    await anna.call(PlayRequest(table=table, move=move))
    assert (await anna.call(PollRequest(table=table))).seq > seen.seq
    failed, recovered = [record.getMessage() for record in caplog.records if "commit_" in record.getMessage()]
    assert "commit_failed" in failed
    assert "move it back" in failed
    assert "commit_recovered" in recovered
