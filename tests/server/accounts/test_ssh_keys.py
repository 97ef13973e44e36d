"""SSH keys: parsed from one line, identified by fingerprints, verified by signatures."""

import asyncio
import base64
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoville_server.accounts.model.ssh_keys import check_signature, read_key, write_string
from scoville_shared.errors import Code, ScovilleError
from tests.support.accounts import DeviceKeys, Keys, ecdsa_keys, ed25519_keys, rsa_keys

CHALLENGE = "scoville log-in 2jmj7l5rSw0yVb"
KINDS: dict[str, Callable[[], Keys]] = {
    "ed25519": ed25519_keys,
    "nistp256": lambda: ecdsa_keys(256),
    "nistp384": lambda: ecdsa_keys(384),
    "nistp521": lambda: ecdsa_keys(521),
    "rsa": rsa_keys,
    "device": DeviceKeys,
}
ANNA = ed25519_keys("anna@kitchen")


def refusal(work: Callable[[], object]) -> ScovilleError:
    with pytest.raises(ScovilleError) as refused:
        work()
    assert refused.value.code == Code.BAD_KEY
    return refused.value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("hash_name", ["sha256", "sha512"])
def test_every_key_type_signs_only_its_challenge(kind: str, hash_name: str) -> None:
    keys = KINDS[kind]()
    key, signature = read_key(keys.line), keys.sign(CHALLENGE, hash_name=hash_name)
    check_signature(key, signature, CHALLENGE)
    assert "does not match" in refusal(lambda: check_signature(key, signature, CHALLENGE + "x")).message
    assert "another key" in refusal(lambda: check_signature(read_key(ANNA.line), signature, CHALLENGE)).message


async def ssh_keygen(*arguments: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        "ssh-keygen", *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not on this machine")
@pytest.mark.parametrize("kind", [("ed25519",), ("ecdsa", "-b", "384"), ("rsa", "-b", "3072")])
async def test_keys_of_ssh_keygen_are_understood(tmp_path: Path, kind: tuple[str, ...]) -> None:
    file, challenge = tmp_path / "id", tmp_path / "challenge"
    await ssh_keygen("-q", "-t", *kind, "-N", "", "-C", "anna", "-f", str(file))
    challenge.write_text(CHALLENGE)
    await ssh_keygen("-q", "-Y", "sign", "-n", "scoville", "-f", str(file), str(challenge))
    key = read_key((tmp_path / "id.pub").read_text())
    check_signature(key, (tmp_path / "challenge.sig").read_text(), CHALLENGE)
    assert key.fingerprint == (await ssh_keygen("-l", "-f", str(file))).split()[1].decode()
    assert key.comment == "anna"


def test_a_signature_is_believed_with_and_without_its_frame() -> None:
    bare = ANNA.sign(CHALLENGE)
    framed = f"-----BEGIN SSH SIGNATURE-----\n{bare[:70]}\r\n{bare[70:]}\n-----END SSH SIGNATURE-----\n"
    for signature in (bare, framed):
        check_signature(read_key(ANNA.line), signature, CHALLENGE)


def test_a_signature_made_for_another_purpose_is_worth_nothing() -> None:
    signature = ANNA.sign(CHALLENGE, namespace="git")
    assert "another purpose" in refusal(lambda: check_signature(read_key(ANNA.line), signature, CHALLENGE)).message


def test_a_signature_over_a_weak_hash_is_not_taken() -> None:
    signature = ANNA.sign(CHALLENGE, hash_name="sha1")
    assert "sha256" in refusal(lambda: check_signature(read_key(ANNA.line), signature, CHALLENGE)).message


def test_a_device_must_have_been_touched() -> None:
    keys = DeviceKeys(touched=False)
    refusal(lambda: check_signature(read_key(keys.line), keys.sign(CHALLENGE), CHALLENGE))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "not a public SSH key"),
        ("anna", "not a public SSH key"),
        ("ssh-ed25519 not/base64!", "not a public SSH key"),
        (f"ssh-rsa {ANNA.line.split()[1]}", "not a public SSH key"),
        (f"ssh-dss {base64.b64encode(write_string(b'ssh-dss')).decode()}", "of this type are not supported"),
        (f"ssh-ed25519 {base64.b64encode(ANNA.blob[:-1]).decode()}", "it is incomplete"),
        (f"ssh-ed25519 {base64.b64encode(ANNA.blob + b'x').decode()}", "data after its end"),
        ("ssh-rsa " + rsa_keys(1024).line.split()[1], "1024 bits"),
    ],
    ids=["empty", "a word", "no base64", "another kind", "old", "short", "long", "weak"],
)
def test_unsupported_key_is_refused_with_its_reason(line: str, expected: str) -> None:
    assert expected in refusal(lambda: read_key(line)).message


@given(st.binary(max_size=200))
def test_malformed_signatures_are_refused_by_code(data: bytes) -> None:
    for sent in (data, b"SSHSIG\0\0\0\1" + write_string(ANNA.blob) + data, _with_proof(data)):
        refusal(lambda sent=sent: check_signature(read_key(ANNA.line), base64.b64encode(sent).decode(), CHALLENGE))


def _with_proof(data: bytes) -> bytes:
    parts = (ANNA.blob, b"scoville", b"", b"sha512", data)
    return b"SSHSIG\0\0\0\1" + b"".join(write_string(part) for part in parts)


@given(st.sampled_from(["ssh-rsa", "ecdsa-sha2-nistp256", "ssh-dss"]), st.binary(max_size=200))
def test_malformed_keys_are_refused_by_code(kind: str, data: bytes) -> None:
    blob = write_string(kind.encode()) + data
    refusal(lambda: read_key(f"{kind} {base64.b64encode(blob).decode()}"))


def test_a_comment_is_one_short_line() -> None:
    assert read_key(f"{ANNA.line}\x1b[2J {'x' * 100}").comment == "anna@kitchen[2J " + "x" * 48


def rsa_line(exponent: int, modulus: int) -> str:
    def integer(number: int) -> bytes:
        return write_string(number.to_bytes(number.bit_length() // 8 + 1, signed=True))

    blob = write_string(b"ssh-rsa") + integer(exponent) + integer(modulus)
    return f"ssh-rsa {base64.b64encode(blob).decode()}"


MODULUS = rsa_keys().private.public_key().public_numbers().n


@pytest.mark.parametrize(
    "exponent",
    [MODULUS - 2, 2**2047 + 1, 2**64 + 1, 2**32 + 1, 65_536, 1, 0, -3],
    ids=["as long as the modulus", "2048 bits", "65 bits", "33 bits", "even", "one", "nothing", "negative"],
)
def test_unusual_exponents_are_refused_before_computing(exponent: int) -> None:
    """A signature took 165 ms to check with an exponent as long as the modulus."""
    assert "exponent" in refusal(lambda: read_key(rsa_line(exponent, MODULUS))).message


@pytest.mark.parametrize("exponent", [3, 17, 37, 65_537])
def test_the_exponents_of_other_programs_are_taken(exponent: int) -> None:
    assert read_key(rsa_line(exponent, MODULUS)).line


def test_keys_and_signatures_have_a_longest_length() -> None:
    assert "16384" in refusal(lambda: read_key(ANNA.line + " " * 20_000)).message
    assert "16384" in refusal(lambda: check_signature(read_key(ANNA.line), "A" * 20_000, CHALLENGE)).message
