"""Search for servers on the local network, and for the one that knows a table code."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec.structs import replace

from scoville_client.i18n.lan_text import nothing_found
from scoville_client.i18n.language import tr
from scoville_client.session.identity.tokens import StoredIdentity, by_address, by_keys, take_slot
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.transport.address import Address
from scoville_client.transport.base import LinkError, WrongServer
from scoville_client.transport.known_servers import KnownServers
from scoville_client.transport.lan.browser import Browse, missing_zeroconf
from scoville_client.transport.lan.found import FoundServer, FoundServers, find_reachable_address
from scoville_client.transport.tls import TlsLink
from scoville_runtime.clock import SYSTEM, Clock
from scoville_shared.errors import Code, ScovilleError

SEARCH_SECONDS: Final = 2.0
"""Seconds in which servers have to be found: they answer within one."""
MOST_ASKED: Final = 8
"""Servers that are asked for a table code; each of them learns it."""
ASK_SECONDS: Final = 6.0
"""Seconds in which a server has to say whether it knows a code."""

Ask = Callable[[Address, Start], Awaitable[bool]]
"""Returns whether the server at an address knows the code of a start."""


async def search_servers(browse: Browse | None, clock: Clock = SYSTEM) -> list[FoundServer]:
    """Return the servers that are found within SEARCH_SECONDS. Raises LinkError where no search is possible."""
    if browse is None:
        raise LinkError(missing_zeroconf() or tr("The search on the local network is turned off (SCOVILLE_NO_LAN)."))
    found, browser = FoundServers(), browse()
    try:
        await browser.open(found.add_sighting, found.remove_sighting)
        await clock.sleep(SEARCH_SECONDS)
    except OSError as error:
        raise LinkError(
            tr("The local network cannot be searched: {reason}.", reason=error.strerror or str(error))
        ) from error
    finally:
        await browser.close()
    return found.listed


async def locate_table(start: Start, browse: Browse | None, clock: Clock = SYSTEM, ask: Ask | None = None) -> Start:
    """Find the server of a start that names only a table code; other starts are returned as they are.

    The servers whose pin is stored are asked first, so that a stranger learns a code only where no known server has it.
    Raises LinkError with a sentence for the user.
    """
    if start.kind != "join" or start.host or not start.code:
        return start
    found = await search_servers(browse, clock)
    if not found:
        raise LinkError(nothing_found())
    addresses = await _reach_servers(found[:MOST_ASKED], clock)
    asked = ask or (lambda address, start: knows_code(address, start, clock))
    wrong: list[WrongServer] = []
    for group in ([each for each in addresses if not each.pin], [each for each in addresses if each.pin]):
        answers = await asyncio.gather(*(_wait_for_answer(asked(address, start), clock) for address in group))
        for address, knows in zip(group, answers, strict=True):
            if isinstance(knows, WrongServer):
                wrong.append(knows)
            elif knows:
                return replace(start, host=address.host, port=address.port, pin=address.pin)
    if wrong:  # it may have the table, but its key is not the one that the user knows
        raise wrong[0]
    raise LinkError(
        tr(
            "No server on the local network knows the table code {code}. Ask the host for the address, or type "
            "{code}@ADDRESS; for a computer of this name type {code}:5757.",
            code=start.code,
        )
    )


async def knows_code(address: Address, start: Start, clock: Clock = SYSTEM) -> bool:
    """Ask a server whether a table has the code of a start, as the user who is going to join there.

    Raises WrongServer when its key is not the expected one.
    """
    session = Session(clock=clock)
    plain = by_address(address.host, address.port)
    stored = StoredIdentity(
        session.connection, start.name, lambda keys: take_slot(by_keys(keys) or plain, start.name), lambda _: None
    )
    try:
        await session.connect(TlsLink(address, KnownServers.of_user(), clock=clock), start.name)
        await session.lobby.enter_table(code=start.code)
    except ScovilleError as error:
        # Asked only for a code that leads to a table.
        return error.code == Code.WRONG_PASSWORD
    except WrongServer:
        raise
    except LinkError:
        return False
    else:
        return True
    finally:
        await session.close()
        stored.release_slot()


async def _reach_servers(servers: Sequence[FoundServer], clock: Clock) -> list[Address]:
    """Return the addresses of the servers that can be reached."""
    known = KnownServers.of_user()
    tried = await asyncio.gather(
        *(find_reachable_address(server, known, clock) for server in servers), return_exceptions=True
    )
    # A server that does not answer is left out; anything else is a fault of ours.
    for each in tried:
        if isinstance(each, BaseException) and not isinstance(each, LinkError):
            raise each
    return [each for each in tried if isinstance(each, Address)]


async def _wait_for_answer(answer: Awaitable[bool], clock: Clock) -> bool | WrongServer:
    try:
        async with clock.limit(ASK_SECONDS):
            return await answer
    except TimeoutError:
        return False
    except WrongServer as error:
        return error
