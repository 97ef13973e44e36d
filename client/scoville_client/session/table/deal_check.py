"""Check of a finished game: the exported game, dealt and replayed, against everything this client received.

The server is not trusted. The verdict says which events were seen live with their Views; see docs/fairness.md.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.own_words import FULL
from scoville_client.session.table.deal_record import DealStanding, DealVerdict, digest_view
from scoville_client.session.table.pledge import needs_all_nonces
from scoville_client.session.table.start_record import Deal, Doubt, StartFinding
from scoville_client.session.table.table import AtTable
from scoville_outside.guard import GameFailed
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import nonce_hash
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.engine.play import IllegalMove, replay_moves
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent, Finished, Joined, Played, Started, UnknownEvent
from scoville_shared.replay import (
    BrokenFile,
    ExportedGame,
    FindingCode,
    Header,
    dealer_of,
    dice_of,
    read_game,
    verify_game,
)

FROM_THE_DEAL = Phrase(
    "Verified from the deal on: the server dealt as it had committed to, and all that you saw of the game is true."
)
NO_NONCE = Phrase("Verified, but none of the randomness is yours: the server alone chose the seed.")
NOT_LIVE = Phrase(
    "The exported game keeps to the commitment and the rules, but you saw none of its events live (of {total})."
)
PARTLY = Phrase("Verified for events {ranges} (of {total}), which you saw live.")

VOID_STARTS = Phrase(
    "{n} start was void before this deal; missing: {players}. Ask them: only they know whether that is true.",
    many="{n} starts were void before this deal; missing: {players}. Ask them: only they know whether that is true.",
)
MISSING_NONCES = Phrase(
    "{n} random number was missing from this deal: {players}. A server that works with them could choose.",
    many="{n} random numbers were missing from this deal: {players}. A server that works with them could choose.",
)
UNSEEN_START = Phrase("Events {ranges} before the deal never reached you.")

NOT_TAKEN = Phrase("Not verified: the server did not take your random number, so it may have chosen the deal.")
REWOUND = Phrase(
    "Not verified: the server has returned to an earlier state of this game, event {event}, so it may have chosen what "
    "followed."
)
DOUBTS = {
    Doubt.UNACCOUNTED: Phrase(
        "Not verified: nothing shows what became of a start for which the server had your random number, so it may "
        "have chosen the deal."
    ),
    Doubt.BLAMED: Phrase(
        "Not verified: a start was void because of you, although the server had your random number, so it may have "
        "chosen the deal."
    ),
    Doubt.UNEXPLAINED: Phrase(
        "Not verified: a start was void because {players} left, which nothing shows, so the server may have chosen the "
        "deal."
    ),
}

CHANGED = Phrase("NOT verified: the server changed this after you had joined: {what}.")
WITHOUT_NONCE = Phrase("NOT verified: your random number was left out of the deal.")
OTHER_NONCES = Phrase("NOT verified: a random number does not match the hash that was published before.")
OTHER_GAME = Phrase("NOT verified: the exported game is not the one that you saw. First difference: event {event}.")
OTHER_SEED = Phrase("NOT verified: the seed or the terms of the exported game do not match the commitment.")
BAD_MOVE = Phrase("NOT verified: move {move} of the exported game breaks the rules.")
OTHER_RESULT = Phrase("NOT verified: the result of the exported game does not follow from its moves.")
OTHER_MOVE = Phrase("NOT verified: the server played another move for you than the one you made, event {event}.")
UNFAIR_START = Phrase("NOT verified: the server did not start the game as it must. See event {event}.")
UNSOUND = Phrase("NOT verified: the exported game breaks the commitment or the rules.")
UNSIGNED = Phrase("NOT verified: the server's signature of the commitment or the result is missing or wrong.")
UNCHECKED = Phrase("Not verified: the package of the game cannot check it here. {reason}")
UNREADABLE = Phrase("NOT verified: the exported game cannot be read.")


_TERMS = {
    "table": Phrase("the table ID"),
    "game": Phrase("the game"),
    "rules_version": Phrase("the version of the rules"),
    "options": Phrase("the options"),
    "seats": Phrase("the number of seats"),
    "dealer": Phrase("the dealer"),
}
_COMMITMENT = Phrase("the commitment")
_FOUND = {
    FindingCode.COMMITMENT_MISMATCH: OTHER_SEED,
    FindingCode.NONCE_MISMATCH: OTHER_NONCES,
    FindingCode.BAD_MOVE: BAD_MOVE,
    FindingCode.ILLEGAL_MOVE: BAD_MOVE,
    FindingCode.OUTCOME_MISMATCH: OTHER_RESULT,
    FindingCode.INCOMPLETE: OTHER_RESULT,
}


_SIGNATURES = frozenset({FindingCode.COMMITMENT_NOT_SIGNED, FindingCode.RESULT_NOT_SIGNED})


class _Contradiction(Exception):
    """Something that an honest server does not do."""

    def __init__(self, phrase: Phrase) -> None:
        super().__init__(phrase.text)
        self.phrase = phrase


def check_deal(at: AtTable, lines: Iterable[str], server_keys: Sequence[str] = ()) -> DealVerdict:
    """Check a finished game.

    Args:
        at: The table, with everything that was sent and received there.
        lines: The exported game, from the server.
        server_keys: The server's key and those that it has replaced; without any, signatures of any key are good.
    """
    try:
        exported = read_game(lines)
    except BrokenFile:
        return DealVerdict(DealStanding.BROKEN, UNREADABLE)
    try:
        return _check_exported(at, exported, server_keys)
    except GameFailed as failed:
        return DealVerdict(DealStanding.OPEN, UNCHECKED.with_fields({"reason": error_text(failed)}))


def _check_exported(at: AtTable, exported: ExportedGame, server_keys: Sequence[str]) -> DealVerdict:
    try:
        _check_terms(at, exported.header)
        _check_length(at, exported)
        missing = _check_file(exported, at.game)
        # After the file's own faults: a lie outweighs this doubt.
        if at.deal.rewound is not None:
            return DealVerdict(DealStanding.OPEN, REWOUND.with_fields({"event": at.deal.rewound}))
        start = _judge_start(at, exported.header)
        _check_nonces(at, exported.header, start)
        _check_events(at, exported)
        _check_own_moves(at, exported)
        if missing or server_keys:
            _check_signatures(at, exported, server_keys, missing)
    except _Contradiction as found:
        return DealVerdict(DealStanding.BROKEN, found.phrase)
    return _conclude_check(at, exported.header, start)


def _check_length(at: AtTable, exported: ExportedGame) -> None:
    """Compare the number of moves first: a hostile export could have so many that to replay them takes minutes."""
    moves = sum(isinstance(seen.event, Played) for seen in at.deal.events)
    if moves != len(exported.moves):
        raise _Contradiction(OTHER_GAME.with_fields({"event": at.seq}))


def _check_signatures(
    at: AtTable, exported: ExportedGame, server_keys: Sequence[str], missing: Collection[FindingCode]
) -> None:
    """Require both signatures, by keys of this server, and the one of the commitment as the table has shown it."""
    header, known = exported.header, set(server_keys)
    own = exported.signature is not None and exported.signature.server_key in known and header.server_key in known
    if missing or not own or at.info.commitment_signature != header.commitment_signature:
        raise _Contradiction(UNSIGNED)


def _check_terms(at: AtTable, header: Header) -> None:
    """Compare with the values pinned when this client joined or began to watch."""
    pledge = at.deal.pledge
    described = at.deal.pinned or (at.terms, at.info.commitment)
    terms, commitment = described if pledge is None else (pledge.terms, pledge.commitment)
    changed = [name for field, name in _TERMS.items() if getattr(terms, field) != getattr(header.terms, field)]
    if commitment != header.commitment:
        changed.append(_COMMITMENT)
    if changed:
        raise _Contradiction(CHANGED.with_fields({"what": changed}))


def _check_file(exported: ExportedGame, game: AnyGame) -> set[FindingCode]:
    """Check the exported game alone: commitment, hashes, rules and result; return wrong signatures."""
    failed = [finding for finding in verify_game(exported, lambda _: game).findings if not finding.held]
    for finding in failed:
        if finding.code not in _SIGNATURES:
            raise _Contradiction(_FOUND.get(finding.code, UNSOUND).with_fields(finding.data))
    return {finding.code for finding in failed}


def _judge_start(at: AtTable, header: Header) -> StartFinding:
    """Fold the messages of this client from before the deal. An unfair event contradicts the server."""
    if at.started is None or at.started.nonces != header.nonces:
        raise _Contradiction(OTHER_GAME.with_fields({"event": 0 if at.started is None else at.started.seq}))
    start = at.deal.start.judge_deal(Deal(header.nonce_hashes, _is_rated(at, at.started)))
    if start.unfair is not None:
        raise _Contradiction(UNFAIR_START.with_fields({"event": start.unfair}))
    return start


def _is_rated(at: AtTable, started: Started) -> bool:
    """Whether a missing nonce must make the start void.

    As the table is described, or was when this client committed to a nonce: a server that calls it unrated from then on
    could leave out a nonce that does not suit it.
    """
    pledge = at.deal.pledge
    rated = needs_all_nonces(at.info) or (pledge is not None and pledge.rated)
    return rated and all(seat.kind == "human" for seat in started.seats)


def _check_nonces(at: AtTable, header: Header, start: StartFinding) -> None:
    """Compare the nonces with their hashes, which the start has compared with those that were published before."""
    for hashed, nonce in zip(header.nonce_hashes, header.nonces, strict=True):
        if nonce is not None and hashed != nonce_hash(header.table, bytes.fromhex(nonce)).hex():
            raise _Contradiction(OTHER_NONCES)
    if at.deal.pledge is None or at.deal.pledge.nonce is None:
        return
    seat = at.seat if start.dealt is None else start.dealt.seat  # a player who has left was dealt in nevertheless
    in_deal = seat is not None and header.nonces[seat] == at.deal.pledge.nonce
    if in_deal and start.dealt is None:  # the server had it from another start, and knew it before this one
        raise _Contradiction(UNFAIR_START.with_fields({"event": 0 if at.started is None else at.started.seq}))
    if not in_deal and (start.left_out or (start.dealt is not None and start.dealt.accepted)):
        raise _Contradiction(WITHOUT_NONCE)


def _check_own_moves(at: AtTable, exported: ExportedGame) -> None:
    """Compare with the moves that this client made: no other client sees that the server replaced a hidden one."""
    accepted, sent = {**at.deal.accepted}, [at.game.codec.decode_move(move) for move in at.deal.sent]
    played = (seen for seen in at.deal.events if isinstance(seen.event, Played))
    for seen, line in zip(played, exported.moves, strict=True):
        event = seen.event
        assert isinstance(event, Played)
        move, own_move = at.game.codec.decode_move(line.move), accepted.pop(event.seq, None)
        mine = event.seat == at.seat and event.mover == "player"
        unasked = mine and seen.view is not None and move not in sent  # moves of another device come later
        replaced = own_move is not None and not (
            event.mover == "player" and move == at.game.codec.decode_move(own_move)
        )
        if unasked or replaced:
            raise _Contradiction(OTHER_MOVE.with_fields({"event": event.seq}))
    if accepted:
        raise _Contradiction(OTHER_MOVE.with_fields({"event": min(accepted)}))


def _check_events(at: AtTable, exported: ExportedGame) -> None:
    """Replay the game, and compare every event and every View that was received."""
    expected = _Replayed(at, exported)
    moves = 0
    after_moves: dict[int, int] = {}
    for number, seen in enumerate(at.deal.events):
        if isinstance(seen.event, Played):
            moves += 1
        after_moves[seen.event.seq] = moves
        began = at.started is not None and seen.event.seq >= at.started.seq
        same_view = seen.view is None or (began and seen.view == expected.digest_after(moves, seen.seat))
        if not same_view or not expected.fits_event(seen.event, moves, seen.seat):
            raise _Contradiction(OTHER_GAME.with_fields({"event": at.deal.events[number].event.seq}))
    for snapshot in at.deal.views:
        if snapshot.view != expected.digest_after(after_moves.get(snapshot.seq, 0), snapshot.seat):
            raise _Contradiction(OTHER_GAME.with_fields({"event": snapshot.seq}))


class _Replayed:
    """The exported game after each of its moves."""

    def __init__(self, at: AtTable, exported: ExportedGame) -> None:
        header, game = exported.header, at.game
        self._game, self._exported = game, exported
        self._is_shared = at.info.deal is not None
        dice, dealer, seats = dice_of(header), dealer_of(header), len(header.seats)
        try:
            options = game.codec.decode_options(header.options)
            moves = [(Seat(line.seat), game.codec.decode_move(line.move)) for line in exported.moves]
            self._states: list[Any] = [game.deal(options, seats, dice, dealer)]
            self._facts: list[Sequence[Any]] = [()]
            for step in replay_moves(game, options, seats, dice, moves, dealer):
                self._states.append(step.state)
                self._facts.append(step.facts)
            players = [(seat.name, seat.kind, seat.claimed is True) for seat in header.seats]
            # Of today's servers those when the game ended, of older ones those when it was exported.
            self._same_players = players in (_list_players(at, _end_of(at)), _list_players(at, at.seq))
            self._counts = [[0] * seats]
            for seat, _ in moves:
                counts = [*self._counts[-1]]
                counts[seat] += 1
                self._counts.append(counts)
        except (CodecError, IllegalMove):  # `verify` has found none
            raise _Contradiction(UNSOUND) from None

    def digest_after(self, moves: int, seat: Seat | None) -> bytes | None:
        """Return the digest of a View after so many moves; None beyond the end."""
        if moves >= len(self._states):
            return None
        return digest_view(self._game.view(self._states[moves], seat))

    def fits_event(self, event: AnyTableEvent, moves: int, seat: Seat | None) -> bool:
        """Whether an event agrees with the game; only those of the game itself can be compared."""
        match event:
            case Started():
                return self._same_players and frozenset(event.pending) == self._game.pending(self._states[0])
            case Played():
                return moves < len(self._states) and self._same_move(event, moves, seat)
            case Finished():
                end, seed = self._exported.outcome, self._exported.header.server_seed
                said = (event.scores, event.places, event.reason)
                # While others still play a shared deal nobody is sent the seed. The export has it, and it is checked.
                revealed = event.server_seed == seed or (self._is_shared and not event.server_seed)
                return end is not None and said == (end.scores, end.places, end.reason) and revealed
            case _:
                return True

    def _same_move(self, event: Played, moves: int, seat: Seat | None) -> bool:
        line = self._exported.moves[moves - 1]
        facts = [fact.fact for fact in self._facts[moves] if fact.to in (None, seat)]
        pending = frozenset(event.pending) == self._game.pending(self._states[moves])
        return (
            pending
            and (event.seat, event.mover, event.move_counts) == (line.seat, line.mover, self._counts[moves])
            and self._facts_of(event) == facts
        )

    def _facts_of(self, event: Played) -> list[Any] | None:
        """Return the facts of a move that this version of the game knows; None if there is one that cannot be."""
        try:
            return self._game.codec.decode_facts(event.facts)
        except CodecError:
            return None


def _end_of(at: AtTable) -> int:
    """Return the number of the event that ended the game."""
    return at.seq if at.result is None else at.result.seq


def _list_players(at: AtTable, until: int) -> list[tuple[str | None, str, bool]]:
    """Return name and kind of each seat's player after event `until`, and whether the name is claimed.

    A player who takes the seat back may have another name by then, or have claimed it.
    """
    started = at.started
    if started is None:
        return []
    players: list[tuple[str | None, str, bool]] = [(seat.name, seat.kind, seat.claimed) for seat in started.seats]
    for event in (seen.event for seen in at.deal.events if started.seq < seen.event.seq <= until):
        if isinstance(event, Joined):
            players[event.seat] = event.name, players[event.seat][1], event.claimed
    return players


def _conclude_check(at: AtTable, header: Header, start: StartFinding) -> DealVerdict:
    """Return the verdict on a game that nothing contradicts: what is proved of it, and what is not."""
    started = 0 if at.started is None else at.started.seq
    finished = _end_of(at)
    notes = tuple(_note_phrases(at, start))
    if start.doubts:
        players = [player for void in start.voids for player in void.players]
        return DealVerdict(DealStanding.OPEN, DOUBTS[start.doubts[0]].with_fields({"players": players}), notes)
    # an event that this client does not know has nothing that it could compare
    live = {seen.event.seq for seen in at.deal.events if seen.view is not None or isinstance(seen.event, UnknownEvent)}
    seen_live = [number for number in range(started, finished + 1) if number in live]
    if _is_left_out(at, header, live=started in live):
        return DealVerdict(DealStanding.OPEN, NOT_TAKEN, notes)
    if len(seen_live) <= finished - started:
        total = f"{started}–{finished}"
        if not seen_live:
            return DealVerdict(DealStanding.OPEN, NOT_LIVE.with_fields({"total": total}), notes)
        return DealVerdict(
            DealStanding.VERIFIED,
            PARTLY.with_fields({"ranges": ", ".join(_format_ranges(seen_live)), "total": total}),
            notes,
        )
    if at.seat is not None and header.nonces[at.seat] is None:
        return DealVerdict(DealStanding.VERIFIED, NO_NONCE, notes)
    return DealVerdict(DealStanding.VERIFIED, FROM_THE_DEAL if notes else FULL, notes)


def _is_left_out(at: AtTable, header: Header, *, live: bool) -> bool:
    """Whether the deal has no share of a player who was there for it, `live`, or had drawn a nonce before."""
    if at.seat is None:
        return False
    if at.deal.pledge is None:
        return live
    return at.deal.pledge.nonce not in (None, header.nonces[at.seat])


def _note_phrases(at: AtTable, start: StartFinding) -> Iterator[Phrase]:
    if start.voids:
        players = [player for void in start.voids for player in void.players]
        yield VOID_STARTS.with_fields({"n": len(start.voids), "players": players}, len(start.voids))
    # Allowed at an unrated table; but a player who knows all other numbers can choose between two deals.
    if at.started is not None and (missing := [seat for seat in at.started.missing if seat != at.seat]):
        names = [at.started.seats[seat].name or Who(Seat(seat)) for seat in missing]
        yield MISSING_NONCES.with_fields({"n": len(missing), "players": names}, len(missing))
    if start.gaps:
        ranges = ", ".join(f"{first}–{last}" if first < last else str(first) for first, last in start.gaps)
        yield UNSEEN_START.with_fields({"ranges": ranges})


def _format_ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Write increasing numbers as ranges: 3–7, 9."""
    breaks = [0, *(n for n, (one, other) in enumerate(pairwise(numbers), 1) if other != one + 1), len(numbers)]
    for first, end in pairwise(breaks):
        if first < end:
            low, high = numbers[first], numbers[end - 1]
            yield str(low) if low == high else f"{low}–{high}"
