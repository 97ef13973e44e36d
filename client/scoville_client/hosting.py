"""From what the person asked for to a seat: the server in this process where one is needed, the line, the table."""

import socket
from contextlib import AsyncExitStack

from scoville_client.address import Address
from scoville_client.changes import Change, Connected
from scoville_client.link.base import Link
from scoville_client.link.tcp import TcpLink
from scoville_client.session import Session, fresh_nonce, no_nonce
from scoville_client.start import USUAL_PLAYERS, Start
from scoville_client.tokens import take

_SOMEWHERE = ("192.0.2.1", 9)
"""An address kept for documentation: asking for the way there sends nothing."""


class Running:
    """What runs for a session until `close`; `address` is where others join a table that is hosted here."""

    def __init__(self, stack: AsyncExitStack, address: Address | None) -> None:
        self.address = address
        self._stack = stack

    async def close(self) -> None:
        """Hang up, and stop the server that runs here."""
        await self._stack.aclose()


def session_for(start: Start) -> Session:
    """Make the session of a start; with a seed its players leave all chance to it."""
    return Session(fresh_nonce if start.seed is None else no_nonce)


async def begin(session: Session, start: Start) -> Running:
    """Connect as `start` says (its kind is not "menu"), and sit down: practice runs at once, a hosted table waits.

    Raises LinkError and ScovilleError, each with a sentence for the person.
    """
    stack = AsyncExitStack()
    try:
        link, address = await _way(start, stack)
        if start.kind == "join":
            _know_again(session, start, stack)
        await session.connect(link, start.name)
        stack.push_async_callback(session.close)
        await _first_steps(session, start)
    except BaseException:
        await stack.aclose()
        raise
    return Running(stack, address)


async def _way(start: Start, stack: AsyncExitStack) -> tuple[Link, Address | None]:
    if start.kind == "join":
        return TcpLink(start.host, start.port), None
    from scoville_client.link.local import LocalLink, serve

    port = start.port if start.kind == "host" else None
    server = await serve(host=start.host, port=port, seed=start.seed, peppers=start.peppers, opening=start.opening)
    stack.push_async_callback(server.close)
    return LocalLink(server), None if port is None else Address(start.host or own_host(), server.port)


def _know_again(session: Session, start: Start, stack: AsyncExitStack) -> None:
    """Be the person that an earlier client here was at this server, unless another one runs that is."""
    slot = take(start.host, start.port, start.name)
    if slot is None:
        return
    stack.callback(slot.release)
    session.token = slot.token

    def keep(change: Change) -> None:
        if isinstance(change, Connected):
            slot.keep(session.token, session.name, start.name)

    stack.callback(session.subscribe(keep))


async def _first_steps(session: Session, start: Start) -> None:
    if start.kind == "join":
        await session.refresh()
        await session.come_back()
        return
    players = start.players or _usual_players(session, start.game)
    table = await session.create(start.game, players, start.options, start.clock)
    await session.join(table.table)
    if start.kind == "practice" and start.opening is None:
        await session.start(start.bots)


def _usual_players(session: Session, slug: str) -> int:
    """Four, or as near to it as the game officially allows; an unknown game is for the server to refuse."""
    for game in session.games:
        if game.slug == slug:
            fewest, most = game.official
            return min(max(USUAL_PLAYERS, fewest), most)
    return USUAL_PLAYERS


def own_host() -> str:
    """Find the address under which others on the network reach this machine; its name when there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_SOMEWHERE)
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
