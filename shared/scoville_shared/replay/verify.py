"""Verification of an exported game: deal it again, replay it, compare. The file's author is not trusted."""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

from msgspec import UNSET, Struct

from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.dice import Dice, commit_to, nonce_hash, signed_commitment, table_key
from scoville_shared.engine.play import IllegalMove, replay_moves
from scoville_shared.errors import ScovilleError
from scoville_shared.games import registry
from scoville_shared.identity import COMMITMENT, RESULT, FormerKey, is_signed, pin_of, replaced_keys
from scoville_shared.ids import Seat
from scoville_shared.replay.file import ExportedGame, Header, RecordedOutcome, ResultSignature


class FindingCode(StrEnum):
    """Result of one check; the first four are those of a sound and finished game, the next two of a signed one."""

    COMMITMENT_HOLDS = "commitment_holds"
    NONCES_HOLD = "nonces_hold"
    MOVES_LEGAL = "moves_legal"
    OUTCOME_HOLDS = "outcome_holds"
    COMMITMENT_SIGNED = "commitment_signed"
    RESULT_SIGNED = "result_signed"
    COMMITMENT_NOT_SIGNED = "commitment_not_signed"
    RESULT_NOT_SIGNED = "result_not_signed"
    COMMITMENT_MISMATCH = "commitment_mismatch"
    NONCE_MISMATCH = "nonce_mismatch"
    UNKNOWN_GAME = "unknown_game"
    OTHER_RULES_VERSION = "other_rules_version"
    BAD_SEATS = "bad_seats"
    BAD_OPTIONS = "bad_options"
    BAD_MOVE = "bad_move"
    ILLEGAL_MOVE = "illegal_move"
    OUTCOME_MISMATCH = "outcome_mismatch"
    INCOMPLETE = "incomplete"


_SOUND = frozenset(
    {
        FindingCode.COMMITMENT_HOLDS,
        FindingCode.NONCES_HOLD,
        FindingCode.MOVES_LEGAL,
        FindingCode.OUTCOME_HOLDS,
        FindingCode.COMMITMENT_SIGNED,
        FindingCode.RESULT_SIGNED,
    }
)


_UNCHECKED = frozenset({FindingCode.UNKNOWN_GAME, FindingCode.OTHER_RULES_VERSION})
"""Findings about a check that lacks something here: they say nothing about the file."""


class Finding(Struct, frozen=True):
    """One check: a stable code, a sentence, and the values that it mentions."""

    code: FindingCode
    sentence: str
    data: dict[str, int | str] = {}

    @property
    def held(self) -> bool:
        """Whether the check succeeded."""
        return self.code in _SOUND

    @property
    def unchecked(self) -> bool:
        """Whether the check could not be made here."""
        return self.code in _UNCHECKED


class Verdict(Struct, frozen=True):
    """All checks in order; one that cannot continue leaves out the later ones."""

    findings: tuple[Finding, ...]

    @property
    def verified(self) -> bool:
        """Whether the game is finished and every check succeeded."""
        return all(finding.held for finding in self.findings)

    @property
    def unchecked(self) -> bool:
        """Whether nothing is wrong with what could be checked, but the game or its rules are missing here."""
        failed = {finding.code for finding in self.findings if not finding.held}
        return bool(failed) and failed <= _UNCHECKED

    @property
    def unfinished(self) -> bool:
        """Whether every check succeeded, but the end is missing."""
        return [finding.code for finding in self.findings if not finding.held] == [FindingCode.INCOMPLETE]


class _Stop(Exception):
    """A failed check after which no other is possible."""

    def __init__(self, code: FindingCode, sentence: str, data: dict[str, int | str] | None = None) -> None:
        super().__init__(sentence)
        self.finding = Finding(code, sentence, data or {})


Loader = Callable[[str], AnyGame]


def verify_game(exported: ExportedGame, load: Loader = registry.load_game) -> Verdict:
    """Check the commitment, deal again, replay every move, compare the outcome, and check the server's signatures.

    Args:
        exported: The file to verify.
        load: Finds a game by its slug.
    """
    return Verdict(tuple(_check_all(exported, load)))


def dice_of(header: Header) -> Dice:
    """Return the game's randomness from the seed, table id and nonces of its header."""
    nonces = [bytes.fromhex(nonce or "") for nonce in header.nonces]
    return Dice(table_key(bytes.fromhex(header.server_seed), header.table, nonces))


def dealer_of(header: Header) -> Seat | None:
    """Return the seat that dealt, if that was determined before the game."""
    return None if header.dealer is UNSET else Seat(header.dealer)


def _check_all(exported: ExportedGame, load: Loader) -> Iterator[Finding]:
    # Before the game is loaded, which these two do not need: of a game that is not installed here they still hold.
    yield _check_commitment(exported.header)
    yield _check_nonces(exported.header)
    try:
        game = _find_game(exported.header, load)
        state = _final_state(exported, game)
        yield Finding(
            FindingCode.MOVES_LEGAL, f"The deal matches the seed, and all {len(exported.moves)} moves are legal."
        )
        yield _check_outcome(exported, game, state)
    except _Stop as stop:
        yield stop.finding
    # Whatever was found so far: who signed a file is to be known also where its moves are wrong.
    if is_signed_game(exported):
        yield _commitment_signature(exported.header)
        if exported.outcome is not None:
            yield _result_signature(exported, exported.signature)


def is_signed_game(exported: ExportedGame) -> bool:
    """Return whether a file has any signature; one without proves nothing about a server."""
    header = exported.header
    return exported.signature is not None or not (header.server_key is header.commitment_signature is UNSET)


def is_result_signed(exported: ExportedGame) -> bool:
    """Return whether the key of a file's last line, or one that it has replaced, has signed all lines before it."""
    return _result_signature(exported, exported.signature).held


def _commitment_signature(header: Header) -> Finding:
    key, signature = header.server_key, header.commitment_signature
    if key is UNSET or signature is UNSET:
        return Finding(FindingCode.COMMITMENT_NOT_SIGNED, "The commitment is not signed.")
    content = signed_commitment(bytes.fromhex(header.commitment), header.terms)
    return _check_signature(COMMITMENT, key, content, signature)


def _result_signature(exported: ExportedGame, signature: ResultSignature | None) -> Finding:
    if signature is None:
        return Finding(FindingCode.RESULT_NOT_SIGNED, "The result is not signed.")
    # A server may have replaced its key during the game; one that has not signed the change is another server.
    opener = exported.header.server_key
    if opener is not UNSET and opener not in _list_keys(signature):
        pin, opener_pin = pin_of(bytes.fromhex(signature.server_key)), pin_of(bytes.fromhex(opener))
        sentence = (
            f"The result is signed with the key {pin}, which has not replaced the key {opener_pin} of the commitment."
        )
        return Finding(FindingCode.RESULT_NOT_SIGNED, sentence, {"pin": pin})
    return _check_signature(RESULT, signature.server_key, exported.digest, signature.signature)


def _list_keys(signature: ResultSignature) -> list[str]:
    """Return the key of a signature and those that it has replaced, hex."""
    former = [FormerKey(bytes.fromhex(each.server_key), bytes.fromhex(each.signature)) for each in signature.former]
    replaced = replaced_keys(bytes.fromhex(signature.server_key), former)
    return [signature.server_key, *(key.hex() for key in replaced)]


def _check_signature(purpose: str, key: str, content: bytes, signature: str) -> Finding:
    what, good, bad = {
        COMMITMENT: ("commitment", FindingCode.COMMITMENT_SIGNED, FindingCode.COMMITMENT_NOT_SIGNED),
        RESULT: ("result", FindingCode.RESULT_SIGNED, FindingCode.RESULT_NOT_SIGNED),
    }[purpose]
    pin = pin_of(bytes.fromhex(key))
    if is_signed(bytes.fromhex(key), purpose, content, bytes.fromhex(signature)):
        return Finding(good, f"The {what} is signed by the server with the key {pin}.", {"pin": pin})
    return Finding(bad, f"The signature of the {what} is not that of the server with the key {pin}.", {"pin": pin})


def _check_commitment(header: Header) -> Finding:
    # The terms too: else a server might deal with the promised seed, and choose options or seats that suit it.
    promised, actual = header.commitment, commit_to(bytes.fromhex(header.server_seed), header.terms).hex()
    if promised == actual:
        return Finding(
            FindingCode.COMMITMENT_HOLDS,
            "The seed, the game and its options match the commitment made before the deal.",
        )
    return Finding(
        FindingCode.COMMITMENT_MISMATCH,
        f"The seed, the game or its options do not match the commitment made before the deal: they hash to {actual}, "
        f"the commitment is {promised}.",
        {"promised": promised, "actual": actual},
    )


def _check_nonces(header: Header) -> Finding:
    for seat, (nonce, hashed) in enumerate(zip(header.nonces, header.nonce_hashes, strict=True)):
        # A seat without a nonce has promised none: `dice_of` takes nothing in its place.
        if nonce is not None and nonce_hash(header.table, bytes.fromhex(nonce)).hex() != hashed:
            sentence = f"The nonce of seat {seat} does not match the hash published before the deal."
            return Finding(FindingCode.NONCE_MISMATCH, sentence, {"seat": seat})
    return Finding(FindingCode.NONCES_HOLD, "Every nonce matches the hash published before the deal.")


def _find_game(header: Header, load: Loader) -> AnyGame:
    try:
        game = load(header.game)
    except ScovilleError as error:
        raise _Stop(FindingCode.UNKNOWN_GAME, error.message, {"game": header.game}) from None
    played, known = header.rules_version, game.info.rules_version
    if played != known:
        sentence = (
            f"The game was played by version {played} of the rules of {game.info.title}; this is version {known}."
        )
        raise _Stop(FindingCode.OTHER_RULES_VERSION, sentence, {"played": played, "known": known})
    fewest, most = game.info.seats
    if not fewest <= len(header.seats) <= most:
        sentence = f"{game.info.title} has {fewest} to {most} seats; the file has {len(header.seats)}."
        raise _Stop(FindingCode.BAD_SEATS, sentence, {"seats": len(header.seats)})
    return game


def _final_state(exported: ExportedGame, game: AnyGame) -> Any:
    header = exported.header
    options, moves = _read_options(header, game), _read_moves(exported, game)
    seats, dice, dealer = len(header.seats), dice_of(header), dealer_of(header)
    # Dealt here too, for a file without moves.
    state = game.deal(options, seats, dice, dealer)
    try:
        for step in replay_moves(game, options, seats, dice, moves, dealer):
            state = step.state
    except IllegalMove as illegal:
        raise _stop_at_illegal(exported, game, illegal) from None
    return state


def _read_options(header: Header, game: AnyGame) -> Any:
    try:
        options = game.codec.decode_options(header.options)
    except CodecError as error:
        raise _Stop(FindingCode.BAD_OPTIONS, f"{game.info.title} does not have these options: {error}.") from None
    absent = sorted(set(game.codec.encode_plain(options)) - set(header.options))
    if absent:  # another program might take other defaults
        sentence = f"{game.info.title} has more options than the file: {', '.join(absent)}."
        raise _Stop(FindingCode.BAD_OPTIONS, sentence)
    return options


def _read_moves(exported: ExportedGame, game: AnyGame) -> list[tuple[Seat, Any]]:
    moves = []
    for line in exported.moves:
        try:
            moves.append((Seat(line.seat), game.codec.decode_move(line.move)))
        except CodecError as error:
            sentence = f"Move {line.n} is not a move of {game.info.title}: {error}."
            raise _Stop(FindingCode.BAD_MOVE, sentence, {"move": line.n}) from None
    return moves


def _stop_at_illegal(exported: ExportedGame, game: AnyGame, illegal: IllegalMove) -> _Stop:
    line = exported.moves[illegal.number - 1]
    names = [sitter.name for sitter in exported.header.seats]
    why = game.text.describe_refusal(illegal.refusal).render(names)
    sentence = f"Move {line.n}, of seat {line.seat} ({names[line.seat]}), breaks the rules: {why}"
    return _Stop(
        FindingCode.ILLEGAL_MOVE, sentence, {"move": line.n, "seat": line.seat, "reason": illegal.refusal.reason}
    )


def _check_outcome(exported: ExportedGame, game: AnyGame, state: Any) -> Finding:
    outcome = game.outcome(state)
    if exported.outcome is None:
        where = "the game goes on" if outcome is None else "the game is over"
        return Finding(FindingCode.INCOMPLETE, f"The file has no outcome; after its last move {where}.")
    if outcome is None:
        owing = ", ".join(str(seat) for seat in sorted(game.pending(state)))
        sentence = f"The file has an outcome, but the game is not over after its last move: seat {owing} is to move."
        return Finding(FindingCode.OUTCOME_MISMATCH, sentence)
    actual = RecordedOutcome(scores=list(outcome.scores), places=list(outcome.places), reason=str(outcome.reason))
    if exported.outcome == actual:
        return Finding(FindingCode.OUTCOME_HOLDS, "The result matches the moves.")
    return Finding(
        FindingCode.OUTCOME_MISMATCH,
        f"The moves lead to {_ending_text(actual)}; the file says {_ending_text(exported.outcome)}.",
    )


def _ending_text(ending: RecordedOutcome) -> str:
    return f"scores {ending.scores}, places {ending.places}, reason {ending.reason!r}"
