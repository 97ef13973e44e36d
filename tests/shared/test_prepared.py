"""Types that threads read are prepared when their modules are imported: to build them in two threads is a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

from scoville_shared.games.registry import list_slugs
from tests.support.exports import play_exported_game, write_export

READ = """
import sys
from pathlib import Path
from scoville_shared.games.registry import load_game
from scoville_shared.replay.file import read_game
from scoville_shared.replay.verify import verify_game

game = load_game(sys.argv[1])
built = []
sys.setprofile(lambda frame, event, _: built.append(frame.f_code.co_name)
    if event == "call" and "msgspec" in frame.f_code.co_filename else None)
exported = read_game(Path(sys.argv[2]).read_text(encoding="utf-8").splitlines())
verify_game(exported)
for line in exported.moves:
    game.codec.decode_move(line.move)
sys.setprofile(None)
print(len(exported.moves), built)
"""


@pytest.mark.parametrize("slug", list_slugs())
def test_to_read_a_finished_game_builds_no_type(slug: str, tmp_path: Path) -> None:
    game = play_exported_game(slug)
    command = [sys.executable, "-c", READ, slug, str(write_export(game, tmp_path / "game.jsonl"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{len(game.moves)} []\n", "")
