"""Signatures of the server under the commitments of its tables and the results of their games."""

from typing import Final

import msgspec
from msgspec.structs import replace

from scoville_server.identity import ServerIdentity
from scoville_server.tables.archive.export import export_game
from scoville_server.tables.model.action import Refused
from scoville_server.tables.model.records import Created
from scoville_server.tables.model.table import Table
from scoville_shared.engine.dice import DealTerms, signed_commitment
from scoville_shared.identity import COMMITMENT, RESULT
from scoville_shared.replay import FormerKeyLine, ResultSignature, digest_of, signature_line

_KEPT: Final = 256
"""Signature lines that are kept: to make one, the whole game is written."""


class TableSigner:
    """Signs by the key of a server, which is there once the journal is open."""

    def __init__(self, identity: ServerIdentity) -> None:
        self._identity = identity
        self._lines: dict[tuple[str, str, int, int | None], str] = {}

    def sign_commitment(self, created: Created) -> Created:
        key, signature = self.sign_terms(created.commitment, created.terms)
        return replace(created, server_key=key, commitment_signature=signature)

    def sign_terms(self, commitment: str, terms: DealTerms) -> tuple[bytes, bytes]:
        """Sign a commitment, hex, and the terms that it binds; returns the server's public key and the signature."""
        key = self._identity.key
        return key.public, key.sign(COMMITMENT, signed_commitment(bytes.fromhex(commitment), terms))

    def sign_result(self, lines: list[str]) -> str:
        """Return the last line of a finished game, which signs all lines before it."""
        key = self._identity.key
        opener = bytes.fromhex(msgspec.json.decode(lines[0]).get("server_key", ""))
        former = [
            FormerKeyLine(server_key=each.key.hex(), signature=each.signature.hex())
            for each in key.former_since(opener)
        ]
        signature = key.sign(RESULT, digest_of(lines)).hex()
        return signature_line(ResultSignature(server_key=key.public.hex(), signature=signature, former=former))

    def sign_table(self, table: Table) -> str:
        """Return the last line of a table's finished game; asked for again, it costs nothing."""
        about = table.id, table.opened.commitment, table.seq, table.started_ms
        line = self._lines.get(about)
        if line is None:
            lines = export_game(table)
            assert not isinstance(lines, Refused), "only finished games are signed"
            while len(self._lines) >= _KEPT:
                del self._lines[next(iter(self._lines))]
            line = self._lines[about] = self.sign_result(lines)
        return line
