"""The path of a move: the files that ARCHITECTURE.md lists for it run, and they are few."""

import asyncio
import re
import sys
from types import FrameType

from tests.support.idle import eventually
from tests.support.live_server import open_live_server
from tests.support.tree import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
MOST = 25
PACKAGES = ("server/scoville_server/", "shared/scoville_shared/")
GAME = "games/no_thanks/game.py"


def listed() -> list[str]:
    """List the files of the table, each with its path below the root."""
    rows = re.search(r"\| step \| files \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE)
    assert rows is not None
    names = [GAME if name == "game.py" else name for name in re.findall(r"`([\w/]+\.py)`", rows[1])]
    return [package + name for name in names for package in PACKAGES if (ROOT / package / name).exists()]


def test_a_move_goes_through_few_files() -> None:
    assert 15 < len(listed()) <= MOST


async def test_every_listed_file_runs_for_a_move() -> None:
    ran: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.add(frame.f_code.co_filename.removeprefix(f"{ROOT}/"))

    async with open_live_server() as live:
        table = await live.open_with_marie("no_thanks")
        paul = await live.connect_user("Paul")
        await paul.join(table)
        await live.marie.start()
        await eventually(lambda: any(user.table is not None and user.table.my_turn for user in (paul, live.marie)))
        mover, watcher = (paul, live.marie) if paul.table is not None and paul.table.my_turn else (live.marie, paul)
        assert mover.table is not None
        assert watcher.table is not None
        before = watcher.table.view
        profiler = sys.getprofile()
        sys.setprofile(note)
        try:
            move = asyncio.ensure_future(mover.play(mover.table.moves()[0]))
            await eventually(lambda: watcher.table is not None and watcher.table.view is not before)
        finally:
            sys.setprofile(profiler)
        await move
        await paul.close()
    threads = {"server/scoville_server/journal/writer.py", "server/scoville_server/journal/store.py"}
    assert {*listed()} - threads <= ran
