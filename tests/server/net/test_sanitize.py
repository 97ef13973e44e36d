"""Sanitizing: texts of one user cannot affect another user's terminal."""

import asyncio
import unicodedata
from typing import Any, get_args, get_type_hints

import msgpack
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scoville_server.net import sanitize as edge
from scoville_server.net.driver.driver import ConnectionDriver
from scoville_server.net.sanitize import sanitize_params
from scoville_server.server import Server
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol import messages as m
from scoville_shared.values import Plain
from tests.support.server import Caller, core_of, toy_server

HOSTILE = "\x00\x07\r\n\x1b\x9b\x7f\u202e\u2066\u200b\u200d\u2028\ufe0f\u034f\u0301\U000e0041\U0001f336a \u05d0"
TEXTS = st.text(st.one_of(st.sampled_from(HOSTILE), st.characters(exclude_categories=["Cs"])), max_size=20)

SHOWN_TO_NOBODY = {
    (m.PingRequest, "payload"),
    (m.HelloRequest, "server_password"),
    (m.ReportDoorRequest, "credential"),
    (m.ReadCalendarRequest, "credential"),
    (m.ReadCalendarRequest, "secret"),
    (m.SetDigestRequest, "url"),
    (m.CreateRequest, "password"),
    (m.EnterRequest, "password"),
    (m.BecomeAdminRequest, "code"),
    (m.ClaimNameRequest, "password"),
    (m.ClaimNameRequest, "key"),
    (m.ClaimNameRequest, "signature"),
    (m.LoginRequest, "password"),
    (m.LoginByKeyRequest, "key"),
    (m.LoginByKeyRequest, "signature"),
    (m.ChangePasswordRequest, "new"),
    (m.AddKeyRequest, "key"),
    (m.AddKeyRequest, "signature"),
    (m.ConfirmRequest, "password"),
    (m.ConfirmRequest, "key"),
    (m.ConfirmRequest, "signature"),
    (m.RecoverRequest, "code"),
    (m.LoginByWebCodeRequest, "code"),
    (m.RecoverRequest, "password"),
}


def requests() -> list[type[m.Params]]:
    """Every kind of request."""
    return [kind for kind in vars(m).values() if isinstance(kind, type) and issubclass(kind, m.Params)]


def texts_of(kind: type[m.Params]) -> list[str]:
    return [name for name, hint in get_type_hints(kind, include_extras=True).items() if str in parts(hint)]


def parts(hint: Any) -> list[Any]:
    """List the types of fields, recursively, except inside of plain maps, which games decode."""
    return [] if hint == Plain else [hint, *(part for inner in get_args(hint) for part in parts(inner))]


def verbatim(kind: type[m.Params], name: str) -> bool:
    return m.VERBATIM in parts(get_type_hints(kind, include_extras=True)[name])


def test_all_visible_request_texts_are_cleaned() -> None:
    left_alone = {(kind, name) for kind in requests() for name in texts_of(kind) if verbatim(kind, name)}
    assert left_alone == SHOWN_TO_NOBODY


@pytest.mark.parametrize("kind", requests())
def test_the_edge_finds_every_text_of_a_request(kind: type[m.Params]) -> None:
    found = [field.name for field in edge._fields_to_clean(kind)]
    assert found == [name for name in texts_of(kind) if not verbatim(kind, name)]


def test_a_request_without_anything_to_clean_stays_the_same() -> None:
    params = m.SayRequest(text="Well played, Jalapeño!", to="Ben")
    assert sanitize_params(params) is params


def test_requests_are_cleaned_and_bounded_by_field() -> None:
    assert sanitize_params(m.SayRequest(text=" a\x1b\n b ", to="\u202eBen\U0001f336")) == m.SayRequest(
        text="a b", to="Ben"
    )
    assert len(sanitize_params(m.SayRequest(text="\U0001f336" * 500)).text) <= 500
    assert sanitize_params(m.PingRequest(payload="\x1b\u202e")) == m.PingRequest(payload="\x1b\u202e")
    assert sanitize_params(m.LoginRequest(name="Anna", password=" \x1b")).password == " \x1b"


def test_text_that_becomes_empty_is_refused() -> None:
    with pytest.raises(ScovilleError, match="Nothing of 'text'") as refused:
        sanitize_params(m.AnnounceRequest(text="\u200b"))
    assert refused.value.data == {"field": "text"}
    assert sanitize_params(m.HelloRequest(protocol=1, client="\x1b")).client is None


# --- through the server, byte by byte --------------------------------------------------------------------


class Ears:
    """A transport that records its output."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        self.data += data

    def get_write_buffer_size(self) -> int:
        return 0

    def get_extra_info(self, name: str) -> None:
        return None

    def set_write_buffer_limits(self, high: int) -> None:
        pass

    def close(self) -> None:
        pass

    def abort(self) -> None:
        pass


def disturbing(value: Any) -> list[str]:
    """Every text in a message that holds a character which does something."""
    if isinstance(value, str):
        return [value] if any(unicodedata.category(char)[0] == "C" or char in "\u2028\u2029" for char in value) else []
    if isinstance(value, dict):
        return [text for item in value.items() for part in item for text in disturbing(part)]
    return [text for part in value for text in disturbing(part)] if isinstance(value, list) else []


def messages_in(data: bytes) -> list[Any]:
    unpacker = msgpack.Unpacker(strict_map_key=False)
    unpacker.feed(data)
    return [*unpacker]


def filled(kind: type[m.Params], table: str, text: str) -> m.Params | None:
    """A request with a hostile text wherever there can be one, as it comes off the wire; None if it cannot be."""
    plain: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.name == "table":
            plain["table"] = table
        elif field.name in texts_of(kind):
            plain[field.name] = text
        elif field.required:
            plain[field.name] = {
                "protocol": 1,
                "game": "heap",
                "reaction": "hello",
                "seat": 0,
                "move": {"x": text},
            }.get(field.name, 2)
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError:
        return None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, name=TEXTS)
async def test_no_active_text_passes_between_users(text: str, name: str) -> None:
    server = toy_server()
    await server.start()
    try:
        await _everything_said(server, text, name)
    finally:
        await server.close()


async def _everything_said(server: Server, text: str, name: str) -> None:
    ears = Ears()
    line = ConnectionDriver(server)
    line.connection_made(ears)  # type: ignore[arg-type]
    line.data_received(msgspec.msgpack.encode([0, 1, "hello", [{"protocol": 1, "name": "Ben"}]]))
    anna = Caller(server)
    await anna.call(m.HelloRequest(protocol=1, name=name[:24], client=text[:64]))
    core_of(server).chat.now = iter(range(0, 10_000, 60)).__next__
    table = (await anna.call(m.CreateRequest(game="heap", seat_count=3))).info.table
    for number, name_of_method in enumerate(("table.watch", "table.join"), 2):
        line.data_received(msgspec.msgpack.encode([0, number, name_of_method, [{"table": table}]]))
    await anna.call(m.JoinRequest(table=table))
    await anna.call(m.SayRequest(text="So that there is something to hear"))
    for method in m.METHODS.values():
        requests = [filled(method.params, table, text)]
        if method.params is m.SayRequest:
            requests += [m.SayRequest(text=text or "x"), m.SayRequest(text=text or "x", to="Ben")]
        for params in requests:
            try:
                await anna.call(params) if params is not None and not isinstance(params, m.HelloRequest) else None
            except ScovilleError:
                continue
    for number, method_name in enumerate(("table.list", "chat.read", "chat.ignored"), 10):
        line.data_received(msgspec.msgpack.encode([0, number, method_name, [{}]]))
    await _quiet(server)
    heard = messages_in(bytes(ears.data))
    assert len(heard) > 5
    assert disturbing(heard) == []


async def _quiet(server: Server) -> None:
    for _ in range(20):
        await asyncio.sleep(0)
