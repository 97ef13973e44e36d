"""The server's key: what it signs, how it is stored, and how it is replaced."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from scoville_server.identity import ServerKey
from scoville_shared.identity import MOST_FORMER, FormerKey, is_signed, is_weak, pin_of, replaced_keys

FIRST = ServerKey(bytes(range(32)))


def rotations(count: int) -> list[ServerKey]:
    keys = [FIRST]
    for _ in range(count):
        keys.append(keys[-1].next_key())
    return keys


def test_the_pin_is_that_of_the_subject_public_key_info() -> None:
    info = FIRST.private_key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert FIRST.pin == base64.b32encode(hashlib.sha256(info).digest()).decode()[:20] == pin_of(FIRST.public)


def test_a_signature_holds_for_its_purpose_key_and_content_alone() -> None:
    signature = FIRST.sign("commitment", b"content")
    assert signature == FIRST.sign("commitment", b"content")
    assert is_signed(FIRST.public, "commitment", b"content", signature)
    assert not is_signed(FIRST.public, "result", b"content", signature)
    assert not is_signed(FIRST.public, "commitment", b"contents", signature)
    assert not is_signed(ServerKey.new_key().public, "commitment", b"content", signature)
    assert not is_signed(FIRST.public, "commitment", b"content", signature[:-1])
    assert not is_signed(b"short", "commitment", b"content", signature)


NEUTRAL = bytes([1, *bytes(31)])
"""The neutral element as a key, and with 32 zero bytes its signature of everything."""


EIGHTH = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")


@pytest.mark.parametrize("y", [0, 1, EIGHTH, 2**255 - 19 - EIGHTH, 2**255 - 20, 2**255 - 19, 2**255 - 18])
@pytest.mark.parametrize("sign", [0, 2**255])
def test_a_key_with_which_anybody_can_sign_signs_nothing(y: int, sign: int) -> None:
    public = (y + sign).to_bytes(32, "little")
    assert is_weak(public)
    assert not any(is_signed(public, "commitment", b"%d" % n, NEUTRAL + bytes(32)) for n in range(100))


def test_the_library_takes_such_a_signature_of_everything() -> None:
    for n in range(8):
        Ed25519PublicKey.from_public_bytes(NEUTRAL).verify(NEUTRAL + bytes(32), b"%d" % n)
    assert not is_weak(FIRST.public)


def test_a_rotated_key_leads_back_to_all_before_it() -> None:
    first, second, third = rotations(2)
    assert replaced_keys(third.public, third.former) == (second.public, first.public)
    assert third.has_replaced(first)
    assert third.has_replaced(third)
    assert not first.has_replaced(third)
    assert not ServerKey.new_key().has_replaced(first)


def test_a_chain_ends_at_the_first_signature_that_is_wrong() -> None:
    first, second, third = rotations(2)
    forged = FormerKey(ServerKey.new_key().public, third.former[0].signature)
    assert replaced_keys(third.public, (forged, third.former[1])) == (second.public,)
    assert replaced_keys(ServerKey.new_key().public, third.former) == ()
    assert replaced_keys(third.public, (FormerKey(first.public, second.former[0].signature),)) == ()


def test_a_key_names_so_many_former_ones_and_no_more() -> None:
    keys = rotations(MOST_FORMER + 2)
    assert len(keys[-1].former) == MOST_FORMER
    assert keys[-1].has_replaced(keys[2])
    assert not keys[-1].has_replaced(keys[1])


def test_stored_key_is_read_back() -> None:
    key = rotations(2)[-1]
    again = ServerKey.from_file(key.as_file())
    assert (again.public, again.former, again.sign("x", b"")) == (key.public, key.former, key.sign("x", b""))


@pytest.mark.parametrize("part", ["private", "public", "former", "what"])
def test_a_damaged_file_is_no_key(part: str) -> None:
    data = bytearray(rotations(1)[-1].as_file())
    at = data.index(f'"{part}"'.encode()) + len(part) + 5
    at = data.index(b'"', data.index(b'"', at) if part == "former" else at - 1) + 2
    data[at] = ord("0") if data[at] != ord("0") else ord("1")
    with pytest.raises(ValueError, match=r"server|belong|signature"):
        ServerKey.from_file(bytes(data))


def test_anything_else_is_no_key() -> None:
    for data in (b"", b"{}", b"\xff\xfe", b"[1]", FIRST.as_file()[:-9]):
        with pytest.raises(ValueError, match="not the key"):
            ServerKey.from_file(data)
