"""Deal of a table in lines, by which players compare what the server has shown to each of them."""

from collections.abc import Iterator

from scoville_client.i18n.language import render, tr
from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import NoncesRequested


def describe_deal(at: AtTable) -> list[str]:
    """Return what has to be the same for all players of a table, as far as it is known now."""
    return [*_deal_lines(at)]


def _deal_lines(at: AtTable) -> Iterator[str]:
    yield tr("Commitment of table {table}: {commitment}", table=at.id, commitment=at.info.commitment)
    requests = [event for entry in at.deal.events if isinstance(event := entry.event, NoncesRequested)]
    hashes = requests[-1].nonce_hashes if requests else []
    nonces = at.started.nonces if at.started is not None else [None] * len(hashes)
    for name, hashed, nonce in zip(at.names, hashes, nonces, strict=False):
        if nonce is not None:
            yield tr("Random number of {name}: {nonce}, hash {hash}", name=name, nonce=nonce, hash=hashed or "–")
        elif hashed is not None:
            yield tr("Hash of {name}'s random number: {hash}", name=name, hash=hashed)
        else:
            yield tr("{name} has no random number.", name=name)
    if at.deal.signed_digest:
        yield tr("The result that the server has signed: {digest}", digest=at.deal.signed_digest)
    yield tr("Compare these lines with the other players, but not in the chat of this server: they must be the same.")
    if at.deal.verdict is not None:
        yield " ".join(render(phrase, at.names) for phrase in at.deal.verdict.phrases)
