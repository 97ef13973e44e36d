"""A player whom a bot replaces reads how to come back, once."""

from scoville_client.plain.announcer import TableAnnouncer
from scoville_client.plain.command_table import COMMANDS
from scoville_client.plain.output import TextOutput
from scoville_client.session.commands.registry import find_command
from scoville_client.session.table.table import AtTable
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import Left
from tests.support.client import MINE, make_snapshot, make_start


def test_a_player_replaced_by_a_bot_reads_how_to_return() -> None:
    said: list[str] = []
    announcer = TableAnnouncer(TextOutput(said.append))
    at = AtTable(load_game("dicht_dran"), make_snapshot(make_start()), lambda: 0.0)
    announcer.announce_changes(at)
    sentence = "A bot plays in your place. Type join to take your seat back."
    assert sentence not in said
    at.apply_event(Left(seq=at.seq + 1, seat=MINE, name="Anna", host=None, reason="stalled"), None)
    announcer.announce_changes(at)
    announcer.announce_changes(at)
    assert said.count(sentence) == 1
    found = find_command("join", "playing", COMMANDS)
    assert found is not None
    assert not found[0].takes
