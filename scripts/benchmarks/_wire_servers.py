"""The servers that are compared: each is a process of its own, `wire.py --serve`."""

import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

import msgpack
from _wire_load import BARE, HOST, OTHER, OURS


async def serve_scoville() -> int:
    """Serve the real protocol, with a visit that answers `hello` and `ping`."""
    from scoville_server.hello import describe_limits, list_features
    from scoville_server.identity import ServerKey
    from scoville_server.net.tcp import Security, open_server
    from scoville_server.net.tls.context import server_context
    from scoville_server.settings.model import Settings
    from scoville_shared.protocol.messages import HelloReply, HelloRequest, Params, PingReply, PingRequest, Reply

    settings = Settings()
    answers: dict[type[Params], Callable[[Any], Reply]] = {
        HelloRequest: lambda _: HelloReply(
            protocol=1,
            server="bench",
            server_key="ab" * 32,
            name="Anna",
            token="",
            games=[],
            features=list_features(settings),
            limits=describe_limits(settings),
        ),
        PingRequest: lambda ping: PingReply(payload=ping.payload),
    }

    class Handler:
        def handle_request(self, params: Params) -> Reply:
            return answers[type(params)](params)

        def note_answer(self, params: Params, began: float) -> None: ...

        def note_refusal(self, params: Params | None, code: str) -> None: ...

        def note_malformed_request(self, code: str) -> None: ...

        def release_connection(self, end: object) -> None: ...

    class Service:
        def accept_connection(self, _peer: object) -> Handler:
            return Handler()

    key = ServerKey.new_key()
    security = Security(lambda: server_context(key))
    return (await open_server(Service(), HOST, 0, security=security)).port


def _port_of(server: asyncio.Server) -> int:
    port: int = server.sockets[0].getsockname()[1]
    return port


class Echo(asyncio.Protocol):
    """The least that answers MessagePack-RPC: nothing is checked, and the replies of one read are joined."""

    def connection_made(self, transport: Any) -> None:
        """Make the packer and the unpacker."""
        self.transport, self.unpacker, self.pack = transport, msgpack.Unpacker(), msgpack.Packer().pack

    def data_received(self, data: bytes) -> None:
        """Echo the first of the params."""
        self.unpacker.feed(data)
        self.transport.write(b"".join([self.pack((1, msgid, None, args[0])) for _, msgid, _, args in self.unpacker]))


async def serve_bare_echo() -> int:
    """Serve the bare echo."""
    server = await asyncio.get_running_loop().create_server(Echo, HOST, 0)
    return _port_of(server)


async def serve_aio_msgpack_rpc() -> int:
    """Serve the same two methods with aio-msgpack-rpc."""
    import aio_msgpack_rpc

    class Handler:
        def hello(self, params: Any) -> Any:
            return params

        def ping(self, params: Any) -> Any:
            return params

    server = await asyncio.start_server(aio_msgpack_rpc.Server(Handler()), HOST, 0)
    return _port_of(server)


SERVERS = {OURS: serve_scoville, BARE: serve_bare_echo, OTHER: serve_aio_msgpack_rpc}


async def serve_kind(kind: str) -> None:
    """Print the port; then answer every line on standard input with the CPU seconds used so far."""
    print(await SERVERS[kind](), flush=True)
    over = asyncio.Event()

    def report_usage() -> None:
        if sys.stdin.readline():
            print(time.process_time(), flush=True)
        else:
            over.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), report_usage)
    await over.wait()


def run_on_loop(kind: str, loop: str) -> None:
    """Run a server on a given event loop."""
    factory = None
    if loop == "uvloop":
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(serve_kind(kind))
