"""What an engine may lose of what it has acknowledged, by the settings of its servers."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.client import connect_client
from scoville_server.journal.jetstream.engine import ANSWER_SECONDS, RETRY_SECONDS, Engine, Place

if TYPE_CHECKING:
    from nats.aio.msg import Msg


class _Synced(Struct):
    sync_always: bool = False


class _ServerInfo(Struct):
    name: str = ""


class _JszReply(Struct):
    server: _ServerInfo
    data: dict[str, Any] = {}


async def find_doubts(engine: Engine, clock: Clock = SYSTEM) -> list[str]:
    """Return why an engine may lose what it has acknowledged, in a sentence each; none for a durable one."""
    place, replicas = engine.place, engine.replicas
    doubts: list[str] = []
    if replicas < 3:
        doubts.append(f"The engine keeps {replicas} of 3 replicas: a lost disk loses games.")
    if not place.system:
        doubts.append("The engine's settings are unknown: cluster.system names no account to read them with.")
        return doubts
    try:
        servers = await _read_server_settings(place, replicas, clock)
    except JournalError as error:
        doubts.append(error.message)
        return doubts
    late = sorted(name for name, synced in servers.items() if not synced)
    if late:
        doubts.append(f"{', '.join(late)} sync their disks later than they answer: set sync_interval: always.")
    if len(servers) < replicas:
        doubts.append(f"Only {len(servers)} of at least {replicas} servers of the engine answer.")
    return doubts


async def _read_server_settings(place: Place, replicas: int, clock: Clock) -> dict[str, bool]:
    """Return whether each server syncs its disk before it answers, by its name. Raises JournalError."""
    client = await connect_client(place.system, place.ca_file, clock)
    found: dict[str, bool] = {}

    async def note(message: "Msg") -> None:
        if "Status" not in (message.headers or {}):
            reply = msgspec.json.decode(message.data, type=_JszReply)
            found[reply.server.name] = bool((reply.data.get("config") or {}).get("sync_always"))

    try:
        inbox = client.new_inbox()
        await client.subscribe(inbox, cb=note)
        await client.publish("$SYS.REQ.SERVER.PING.JSZ", b'{"config":true}', inbox)
        waited = 0.0
        while len(found) < replicas and waited < ANSWER_SECONDS:
            await clock.sleep(RETRY_SECONDS)
            waited += RETRY_SECONDS
    finally:
        await client.close()
    return found
