"""A server older than the client: a method or a param that it does not know is no fault of the user's."""

from typing import Any

import msgspec
import pytest

from scoville_client.i18n.language import set_language
from scoville_client.session.session import Session
from scoville_client.transport.base import LinkError
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.decoding import RequestFrame, refusal_of
from scoville_shared.protocol.messages import CreateRequest, Empty, HelloRequest, Params, WatchRequest


def refused_by_a_server(method: str, **params: Any) -> ScovilleError:
    """Return what a server answers to a request."""
    return refusal_of(RequestFrame(1, method, msgspec.Raw(msgspec.msgpack.encode([params]))))


class OlderServer:
    """A link to a server that refuses a request of the client as one that it does not know."""

    server_name, server_keys, local, has_other_nodes = "an older server", (), True, False

    def __init__(self, error: ScovilleError, refused: type[Params]) -> None:
        self._error, self._refused = error, refused

    async def open(self, listener: object) -> None: ...

    async def close(self) -> None: ...

    async def call(self, params: Params) -> Empty:
        if isinstance(params, self._refused):
            raise self._error
        return Empty()


@pytest.mark.parametrize(
    "error",
    [
        refused_by_a_server("hello", protocol=1, mood="fine"),
        refused_by_a_server("hello", protocol=1, door={"weather": "fine"}),
        refused_by_a_server("table.dance"),
    ],
    ids=["a param", "a part of one", "a method"],
)
async def test_unknown_requests_ask_older_servers_to_update(error: ScovilleError) -> None:
    session = Session()
    with pytest.raises(LinkError, match="The server is older than this version of Scoville"):
        await session.connect(OlderServer(error, HelloRequest), "Anna")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        (HelloRequest(protocol=1, name="Anna"), {"protocol": 1, "name": "Anna"}),
        (CreateRequest(game="no_thanks", seat_count=3), {"game": "no_thanks", "seat_count": 3}),
        (WatchRequest(table="t", since=0), {"table": "t"}),
    ],
)
def test_params_that_say_nothing_are_not_sent(params: Params, sent: dict[str, Any]) -> None:
    """An older server may not know them, and refuses what it does not know."""
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(params)) == sent


async def test_other_faults_keep_their_code() -> None:
    wrong = refused_by_a_server("hello", protocol=1, name=7)
    assert "unknown" not in wrong.data
    session = Session()
    with pytest.raises(ScovilleError) as raised:
        await session.connect(OlderServer(wrong, HelloRequest), "Anna")  # type: ignore[arg-type]
    assert raised.value.code == Code.BAD_PARAMS


async def test_the_sentence_is_translated() -> None:
    set_language("de")
    session = Session()
    error = refused_by_a_server("hello", protocol=1, mood="fine")
    with pytest.raises(LinkError, match="Der Server"):
        await session.connect(OlderServer(error, HelloRequest), "Anna")  # type: ignore[arg-type]


def test_an_unknown_param_is_named_as_such() -> None:
    error = refused_by_a_server("ping", payload="", mood="fine")
    assert error.data == {"method": "ping", "field": "mood", "unknown": True}
