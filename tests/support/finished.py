"""Games that were played to the end by real clients, with what one of them received."""

from contextlib import AsyncExitStack

from scoville_client.session.table.fair_deal import no_nonce
from scoville_client.session.table.table import AtTable
from scoville_client.transport.in_process import LocalLink
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from tests.support.recording_session import RecordingSession

SHORT = {"dicht_dran": {"cycles": 1}, "no_thanks": {"rounds": 1}, "chilli_chase": {"points": 3, "turn_limit": 50}}
GAMES = sorted(SHORT)


async def guest(stack: AsyncExitStack, server: Server, name: str) -> RecordingSession:
    user = RecordingSession()
    await user.connect(LocalLink(server), name)
    stack.push_async_callback(user.close)
    return user


async def played(stack: AsyncExitStack, game: str, *, nonces: bool = True) -> tuple[AtTable, list[str]]:
    """Play a game of two users and a bot to the end; returns Anna's session, and the exported game."""
    server = Server(Settings())
    stack.push_async_callback(server.close)
    anna, ben = await guest(stack, server, "Anna"), await guest(stack, server, "Ben")
    if not nonces:
        anna.fair_deal._nonce = no_nonce
    table = (await anna.lobby.create_table(game, 3, SHORT[game])).table
    await anna.join_table(table)
    await ben.lobby.enter_table(table=table)
    await ben.join_table(table)
    await anna.table_actions.start_game()
    while anna.at.result is None:
        await anna.until(lambda: anna.at.result is not None or anna.at.my_turn or ben.at.my_turn)
        for user in (anna, ben):
            if user.at.my_turn:
                await user.play_move(user.at.legal_moves()[0])
    await anna.until(lambda: anna.at.deal.verdict is not None)
    return anna.at, await anna.table_actions.export_game()
