"""Users with claimed names, on a server with cheap password hashing, and SSH keys that sign as `ssh-keygen` does."""

import base64
from hashlib import sha256, sha512
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from scoville_server.accounts.model.account_limits import AccountLimits, Hashing
from scoville_server.accounts.model.ssh_keys import write_string
from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import (
    AddKeyRequest,
    BecomeAdminRequest,
    ChallengeRequest,
    ClaimNameRequest,
    ConfirmRequest,
    LoginByKeyRequest,
    LoginRequest,
    Params,
)
from scoville_shared.protocol.proofs import Purpose, proof_text
from tests.support.server import Caller, toy_server

_ECDSA = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}
_CURVES = {256: ec.SECP256R1, 384: ec.SECP384R1, 521: ec.SECP521R1}


class Keys:
    """An SSH key pair; `line` is the public key as in its file."""

    def __init__(self, private: Any, comment: str = "") -> None:
        self.private = private
        public = private.public_key().public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
        self.line = f"{public.decode()} {comment}".strip()
        self.blob = base64.b64decode(public.split()[1])

    def sign(self, message: str, namespace: str = "scoville", hash_name: str = "sha512") -> str:
        """Sign as `ssh-keygen -Y sign -n NAMESPACE` does, base64 without the frame."""
        digest = {"sha512": sha512, "sha256": sha256, "sha1": sha256}[hash_name](message.encode()).digest()
        said = [write_string(part) for part in (namespace.encode(), b"", hash_name.encode())]
        proof = self.proof(b"SSHSIG" + b"".join(said) + write_string(digest))
        whole = b"SSHSIG" + (1).to_bytes(4) + write_string(self.blob) + b"".join(said) + write_string(proof)
        return base64.b64encode(whole).decode()

    def proof(self, data: bytes) -> bytes:
        """Sign bytes, in SSH's own language."""
        if isinstance(self.private, ed25519.Ed25519PrivateKey):
            return write_string(b"ssh-ed25519") + write_string(self.private.sign(data))
        if isinstance(self.private, rsa.RSAPrivateKey):
            signature = self.private.sign(data, padding.PKCS1v15(), hashes.SHA512())
            return write_string(b"rsa-sha2-512") + write_string(signature)
        bits = self.private.key_size
        r, s = utils.decode_dss_signature(self.private.sign(data, ec.ECDSA(_ECDSA[bits])))
        return write_string(f"ecdsa-sha2-nistp{bits}".encode()) + write_string(_write_integer(r) + _write_integer(s))


class DeviceKeys(Keys):
    """A key that lives in a device: its signature holds flags and a counter."""

    def __init__(self, touched: bool = True) -> None:
        super().__init__(ed25519.Ed25519PrivateKey.generate())
        raw = self.private.public_key().public_bytes_raw()
        self.blob = write_string(b"sk-ssh-ed25519@openssh.com") + write_string(raw) + write_string(b"ssh:")
        self.line = f"sk-ssh-ed25519@openssh.com {base64.b64encode(self.blob).decode()}"
        self.seen = bytes([touched, 0, 0, 0, 7])

    def proof(self, data: bytes) -> bytes:
        signed = self.private.sign(sha256(b"ssh:").digest() + self.seen + sha256(data).digest())
        return write_string(b"sk-ssh-ed25519@openssh.com") + write_string(signed) + self.seen


def ed25519_keys(comment: str = "") -> Keys:
    return Keys(ed25519.Ed25519PrivateKey.generate(), comment)


def ecdsa_keys(bits: int) -> Keys:
    return Keys(ec.generate_private_key(_CURVES[bits]()))


def rsa_keys(bits: int = 2048) -> Keys:
    return Keys(rsa.generate_private_key(65537, bits))


def _write_integer(number: int) -> bytes:
    return write_string(number.to_bytes(number.bit_length() // 8 + 1))


PASSWORD = "seven habaneros"


def make_cheap_limits(**limits: Any) -> AccountLimits:
    """Limits with cheap password hashing."""
    return AccountLimits(hashing=Hashing(memory_kib=8, passes=1), **limits)


def account_server(**limits: Any) -> Server:
    return toy_server(Settings(accounts=make_cheap_limits(**limits)))


async def connect_guest(server: Server, name: str = "", token: str = "", address: str = "") -> Caller:
    """A guest connected from an address."""
    caller = Caller(server)
    caller.peer.address = address
    return await caller.hello(name, token)


async def connect_owner(server: Server, name: str, password: str = PASSWORD, address: str = "") -> Caller:
    """A user with a claimed name."""
    caller = await connect_guest(server, name, address=address)
    await caller.call(ClaimNameRequest(password=password))
    return caller


async def connect_admin(server: Server, name: str, password: str = PASSWORD, code_of: str = "") -> Caller:
    """A user who claimed a name and gave the code of a configured admin, by default the one of this name."""
    caller = await connect_owner(server, name, password)
    await caller.call(BecomeAdminRequest(code=server.admin_codes[code_of or name]))
    return caller


_PURPOSES: dict[type[Params], Purpose] = {
    ClaimNameRequest: "claim",
    AddKeyRequest: "add-key",
    ConfirmRequest: "confirm",
    LoginByKeyRequest: "log-in",
}


async def sign_request(caller: Caller, keys: Keys, kind: type[Params], name: str = "") -> Params:
    """A request of a kind, signed by a key; `name` is the one to log in to."""
    nonce = (await caller.call(ChallengeRequest())).nonce
    assert caller.welcome is not None
    text = proof_text(_PURPOSES[kind], caller.welcome.server_key, name or caller.welcome.name, nonce)
    more = {"name": name} if kind is LoginByKeyRequest else {}
    return kind(key=keys.line, signature=keys.sign(text), **more)


async def confirm_identity(caller: Caller, password: str = PASSWORD) -> Caller:
    """A user with a fresh proof of identity."""
    await caller.call(ConfirmRequest(password=password))
    return caller


async def log_in(caller: Caller, name: str = "Anna", password: str = PASSWORD) -> str:
    """Log in, and return the new token."""
    token: str = (await caller.call(LoginRequest(name=name, password=password))).token
    return token
