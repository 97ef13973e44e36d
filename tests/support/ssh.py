"""SSH keys and signatures made by a library, equal to those of `ssh-keygen -Y sign`."""

import base64
from hashlib import sha256, sha512
from typing import Any

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

from scoville_server.accounts.model.signatures import write_string

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
        return write_string(f"ecdsa-sha2-nistp{bits}".encode()) + write_string(_integer(r) + _integer(s))


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


def _integer(number: int) -> bytes:
    return write_string(number.to_bytes(number.bit_length() // 8 + 1))
