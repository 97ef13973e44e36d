"""A host's own pepper table."""

from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_server.settings.games import read_option_file
from scoville_server.settings.model import BadSettings, Settings
from scoville_shared.protocol.messages import CreateRequest
from tests.support.server import Caller


def test_a_pepper_file_is_a_hundred_digits_with_comments(tmp_path: Path) -> None:
    file = tmp_path / "peppers.txt"
    file.write_text("# mine\n" + "1 2 3 1 2 3 1 2 3 1  # a row\n" * 10)
    assert read_option_file("peppers", file)["dicht_dran"]["peppers"][:4] == (1, 2, 3, 1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("1 2\n3 4\n", "line 2: .*'4'"), ("1 2 3\n", "there are 3 cards"), ("", "there are 0 cards")],
)
def test_an_unusable_pepper_file_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "peppers.txt"
    file.write_text(text)
    with pytest.raises(BadSettings, match=f"peppers.txt cannot be used: {complaint}"):
        read_option_file("peppers", file)


def test_a_pepper_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match=r"none.txt cannot be read: No such file"):
        read_option_file("peppers", tmp_path / "none.txt")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadSettings, match="is not a text file"):
        read_option_file("peppers", tmp_path / "binary")


async def test_the_hosts_peppers_are_the_default() -> None:
    mine = (2,) * 100
    server = Server(Settings(game_options={"dicht_dran": {"peppers": mine}}))
    anna = await Caller(server).hello()
    usual = await anna.call(CreateRequest(game="dicht_dran", seat_count=2, options={"cycles": 1}))
    asked = await anna.call(CreateRequest(game="dicht_dran", seat_count=2, options={"peppers": [3] * 100}))
    assert usual.info.options["cycles"] == 1
    assert tuple(usual.info.options["peppers"]) == mine
    assert tuple(asked.info.options["peppers"]) == (3,) * 100
    games = {game.slug: game for game in anna.welcome.games}
    assert tuple(games["dicht_dran"].options["peppers"]) == mine
    await server.close()
