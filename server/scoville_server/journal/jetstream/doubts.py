"""Doubts about an engine: acknowledged messages that it may lose by the settings of its servers, or has lost."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from scoville_runtime.clock import SYSTEM, Clock
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.client import connect_client
from scoville_server.journal.jetstream.engine import ANSWER_SECONDS, RETRY_SECONDS, Engine, Place
from scoville_server.journal.jetstream.mirror import Mirror
from scoville_server.journal.jetstream.stores import place_of_files

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_LOOKS: Final = 3
_BETWEEN_LOOKS_SECONDS: Final = 0.5
"""A server may be about to drop what has expired, or to write what the others have written."""


class StreamState(Struct, frozen=True):
    """How many messages a server has of a stream, and the sequence of the newest one."""

    messages: int
    last_seq: int


class _Stream(Struct):
    name: str
    state: StreamState


class _Account(Struct):
    stream_detail: list[_Stream] = []


class _Jetstream(Struct):
    config: dict[str, Any] | None = None
    disabled: bool = False
    account_details: list[_Account] = []


class _ServerInfo(Struct):
    name: str = ""


class _JszReply(Struct):
    server: _ServerInfo
    data: _Jetstream = msgspec.field(default_factory=_Jetstream)


class ServerLook(NamedTuple):
    """A server of the engine at one moment.

    Attributes:
        syncs: Whether it syncs its disk before it answers.
        streams: Its streams by their names.
        has_stopped: Whether it keeps nothing any more, as it does for good once its disk was full.
    """

    syncs: bool
    streams: Mapping[str, StreamState]
    has_stopped: bool = False


Look = Mapping[str, ServerLook]
"""The servers that have answered, by their names."""


async def find_doubts(engine: Engine, clock: Clock = SYSTEM) -> list[str]:
    """Describe why an engine may lose acknowledged writes, or which ones it has lost, in a sentence each."""
    place, replicas = engine.place, engine.replicas
    doubts: list[str] = []
    if replicas < 3:
        doubts.append(f"The engine keeps {replicas} of 3 replicas: a lost disk loses games.")
    if not place.system:
        doubts.append("The engine's settings are unknown: cluster.system names no account to read them with.")
        return doubts
    try:
        looks = await _look_at_servers(place, replicas, clock)
    except JournalError as error:
        doubts.append(error.message)
        return doubts
    return [*doubts, *describe_looks(looks, replicas)]


def describe_looks(looks: Sequence[Look], replicas: int) -> list[str]:
    """Describe the faults of an engine's servers, in a sentence each."""
    servers, doubts = looks[0], []
    stopped = sorted(name for name, server in servers.items() if server.has_stopped)
    late = sorted(name for name, server in servers.items() if not server.syncs and not server.has_stopped)
    if late:
        doubts.append(f"{', '.join(late)} sync their disks later than they answer: set sync_interval: always.")
    if stopped:
        doubts.append(
            f"{', '.join(stopped)} have stopped to keep anything, as they do when a disk is full, or when they may not "
            "write to their store_dir: mend that, and restart them."
        )
    if len(servers) < replicas:
        doubts.append(f"Only {len(servers)} of at least {replicas} servers of the engine answer.")
    for (server, stream), missing in sorted(list_losses(looks).items()):
        doubts.append(
            f"{server} has lost {missing} messages of the stream {stream} that others have: look for faults of its "
            "disk, stop it, empty its store_dir, and start it again, so that it copies all of it."
        )
    return doubts


def list_losses(looks: Sequence[Look]) -> dict[tuple[str, str], int]:
    """Return how many messages servers lack that others have, by server and stream, in all of some looks.

    Servers are compared which have the same newest message: one that is behind has lost nothing by that.
    """
    every = [_losses_in(look) for look in looks]
    return {lost: min(each[lost] for each in every) for lost in every[0] if all(lost in each for each in every)}


def _losses_in(look: Look) -> dict[tuple[str, str], int]:
    groups: defaultdict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for server, seen in look.items():
        for stream, state in seen.streams.items():
            groups[stream, state.last_seq][server] = state.messages
    return {
        (server, stream): max(counts.values()) - messages
        for (stream, _), counts in groups.items()
        for server, messages in counts.items()
        if messages < max(counts.values())
    }


async def _look_at_servers(place: Place, replicas: int, clock: Clock) -> list[Look]:
    """Look at the servers, again while one seems to have lost something. Raises JournalError."""
    client = await connect_client(place.system, place.ca_file, clock)
    try:
        looks = [await _look_once(client, place, replicas, clock)]
        while list_losses(looks) and len(looks) < _LOOKS:
            await clock.sleep(_BETWEEN_LOOKS_SECONDS)
            looks.append(await _look_once(client, place, replicas, clock))
    finally:
        await client.close()
    return looks


async def _look_once(client: "Client", place: Place, replicas: int, clock: Clock) -> Look:
    found: dict[str, ServerLook] = {}
    ours = {place.name, place_of_files(place).name}

    async def note(message: "Msg") -> None:
        # With a status where nobody hears the request: the account has no rights for it.
        if "Status" not in (message.headers or {}):
            reply = msgspec.json.decode(message.data, type=_JszReply)
            streams = [stream for account in reply.data.account_details for stream in account.stream_detail]
            found[reply.server.name] = ServerLook(
                bool((reply.data.config or {}).get("sync_always")),
                {stream.name: stream.state for stream in streams if stream.name in ours},
                reply.data.disabled,
            )

    inbox = client.new_inbox()
    subscription = await client.subscribe(inbox, cb=note)
    # Each server answers for itself, and none knows how many there are.
    await client.publish("$SYS.REQ.SERVER.PING.JSZ", b'{"config":true,"accounts":true,"streams":true}', inbox)
    waited = 0.0
    while len(found) < replicas and waited < ANSWER_SECONDS:
        await clock.sleep(RETRY_SECONDS)
        waited += RETRY_SECONDS
    await subscription.unsubscribe()
    return found


async def find_table_doubts(mirror: Mirror) -> list[str]:
    """Return the doubts about tables, in a sentence each: those with a hole that this node has found."""
    doubts = []
    if faults := mirror.faults:
        doubts.append(
            f"This node has read {faults} tables with a hole, and could not serve them; another one may have them "
            "whole, and comes first. Look for faults of the engine's disks."
        )
    with suppress(JournalError):  # the engine is away, which is said elsewhere
        if lost := await mirror.find_lost_tables():
            doubts.append(
                f"The engine has lost messages of tables that this node has whole: {', '.join(lost)}. It writes "
                "them afresh when it takes over; look for faults of the engine's disks."
            )
        if holed := await mirror.ends.find_holes():
            doubts.append(
                f"The engine has lost messages of tables that are played: {', '.join(holed)}. Their node goes on with "
                "what it has in its memory, and no other one can take them over; look for faults of the engine's disks."
            )
    return doubts
