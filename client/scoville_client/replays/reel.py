"""Positions of an exported game: the table after each move, dealt and replayed; and what its check finds, in words."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from scoville_client.i18n.errors import error_text
from scoville_client.i18n.language import is_own_english, render
from scoville_outside import guard
from scoville_outside.guard import GameFailed
from scoville_outside.safe_text import with_safe_text
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import Addressed, AnyGame, Refusal, select_facts
from scoville_shared.engine.phrases import Phrase
from scoville_shared.engine.play import play_move
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import AnyTableEvent, Finished, Played, SeatInfo, Started
from scoville_shared.replay import (
    ExportedGame,
    FindingCode,
    Header,
    MoveLine,
    RecordedOutcome,
    Verdict,
    dealer_of,
    dice_of,
    verify_game,
)
from scoville_shared.replay.verify import Finding

_SENTENCES = {
    FindingCode.COMMITMENT_HOLDS: Phrase(
        "The seed, the game and its options match the commitment made before the deal."
    ),
    FindingCode.NONCES_HOLD: Phrase("Every nonce matches the hash published before the deal."),
    FindingCode.NONCE_MISMATCH: Phrase("The nonce of seat {seat} does not match the hash published before the deal."),
    FindingCode.MOVES_LEGAL: Phrase("The deal matches the seed, and all moves ({moves}) are legal."),
    FindingCode.OUTCOME_HOLDS: Phrase("The result matches the moves."),
    FindingCode.COMMITMENT_SIGNED: Phrase("The commitment is signed by the server with the key {pin}."),
    FindingCode.RESULT_SIGNED: Phrase("The result is signed by the server with the key {pin}."),
    FindingCode.COMMITMENT_NOT_SIGNED: Phrase("The server's signature of the commitment is missing or wrong."),
    FindingCode.RESULT_NOT_SIGNED: Phrase("The server's signature of the result is missing or wrong."),
    FindingCode.COMMITMENT_MISMATCH: Phrase(
        "The seed, the game or its options do not match the commitment made before the deal."
    ),
    FindingCode.UNKNOWN_GAME: Phrase("The game {game} is not installed here."),
    FindingCode.OTHER_RULES_VERSION: Phrase(
        "The game was played with version {played} of its rules; this Scoville has version {known}."
    ),
    FindingCode.BAD_SEATS: Phrase("This game does not allow this number of seats: {seats}."),
    FindingCode.BAD_OPTIONS: Phrase("The game does not accept these options. In English: {message}"),
    FindingCode.BAD_MOVE: Phrase("Move {move} is not a move of this game."),
    FindingCode.ILLEGAL_MOVE: Phrase("Move {move}, by {who}, breaks the rules."),
    FindingCode.OUTCOME_MISMATCH: Phrase("The result in the file does not match the moves. In English: {message}"),
    FindingCode.INCOMPLETE: Phrase("The file has no result: the game is not finished, or its end is missing."),
}


def finding_text(finding: Finding, exported: ExportedGame) -> str:
    """Return a finding as a sentence."""
    if is_own_english():
        return finding.sentence
    return render(
        _SENTENCES[finding.code].with_fields(
            {**_game_fields(exported), **_finding_fields(finding, exported), **finding.data}
        )
    )


def _game_fields(exported: ExportedGame) -> dict[str, Any]:
    return {"game": exported.header.game, "moves": len(exported.moves), "seats": len(exported.header.seats)}


def _finding_fields(finding: Finding, exported: ExportedGame) -> dict[str, Any]:
    seat = finding.data.get("seat")
    who = exported.header.seats[seat].name if isinstance(seat, int) and 0 <= seat < len(exported.header.seats) else ""
    return {"message": finding.sentence, "who": who}


Kind = Literal["round", "card", "lap"]

_OPENS: Mapping[str, Kind] = {"turned_up": "card", "round_began": "round"}
"""Facts that begin a part of a game, the smallest parts first."""

_UNDEALT = (FindingCode.UNKNOWN_GAME, FindingCode.OTHER_RULES_VERSION, FindingCode.BAD_SEATS, FindingCode.BAD_OPTIONS)
"""Findings that make it impossible to deal a game here."""


class NotPlayable(ScovilleError):
    """An exported game that cannot be dealt here; the text says why.

    `unchecked` says that the game or this version of its rules is not installed: nothing is known of the file.
    """

    def __init__(self, message: str, *, unchecked: bool) -> None:
        super().__init__("not_playable", message)
        self.unchecked = unchecked


class Moment(NamedTuple):
    """The table after a move: state, move (None: the deal), facts, and the number of moves of each seat."""

    state: Any
    line: MoveLine | None
    facts: Sequence[Addressed[Any]]
    played: tuple[int, ...]


class Reel:
    """An exported game at every position: 0 is the deal, n comes after move n, the last shows the result.

    `moments` ends before the first move that cannot be played; `verdict` says why, and `doubts` are its failed checks
    in sentences. `parts` are the positions at which a part of the game begins, such as a round; `kind` says which.
    `is_record` is False of a game that nobody has played: there is nothing to verify. Raises NotPlayable.
    """

    def __init__(self, exported: ExportedGame, *, is_record: bool = True) -> None:
        self.header: Header = exported.header
        self.is_record = is_record
        try:
            # Verified although it is replayed once more below: only this shows that the file is the played game.
            self.verdict: Verdict = verify_game(exported, guard.load_game)
        except GameFailed as failed:
            raise NotPlayable(error_text(failed), unchecked=True) from failed
        if (why := next((found for found in self.verdict.findings if found.code in _UNDEALT), None)) is not None:
            raise NotPlayable(finding_text(why, exported), unchecked=self.verdict.unchecked)
        self.doubts = [finding_text(finding, exported) for finding in self.verdict.findings if not finding.held]
        self.game: AnyGame = with_safe_text(guard.load_game(self.header.game))
        self.moments: list[Moment] = list(_replay_moments(self.game, exported))
        self.ending: RecordedOutcome | None = exported.outcome if self._over else None
        tags = [{_fact_tag(addressed.fact) for addressed in moment.facts} for moment in self.moments]
        self.kind, self.parts = parts_of(tags, [moment.line.seat for moment in self.moments if moment.line is not None])

    @property
    def levels(self) -> list[str | None]:
        """The level of each seat's bot, None for people, and for bots of older files."""
        return [sitter.level or None for sitter in self.header.seats]

    @property
    def last(self) -> int:
        # The result is a position of its own, behind that of the last move.
        return len(self.moments) - (self.ending is None)

    @property
    def moves(self) -> int:
        """The number of moves that can be shown."""
        return len(self.moments) - 1

    def moment_at(self, position: int) -> Moment:
        """Return the table at a position."""
        return self.moments[min(position, self.moves)]

    def pending_at(self, position: int) -> list[int]:
        """Return the seats that must move at a position."""
        return sorted(self.game.pending(self.moment_at(position).state)) if position <= self.moves else []

    def view_at(self, position: int, seat: Seat | None) -> Any:
        """Return the View of a seat at a position, as plain data."""
        return self.game.codec.encode_plain(self.game.view(self.moment_at(position).state, seat))

    def describe_move_at(self, position: int, move: Any) -> Phrase:
        """Name a possible move of a position, as plain data, as the player who moves there would."""
        line = self.moments[position].line
        assert line is not None, "only the deal comes about without a move"
        view = self.game.view(self.moments[position - 1].state, Seat(line.seat))
        phrase: Phrase = self.game.text.describe_move_at(view, self.game.codec.decode_move(move))
        return phrase

    def event_at(self, position: int, seat: Seat | None) -> AnyTableEvent:
        """Return the event before a position, as a seat (None: a spectator) may know it."""
        if position == 0:
            return Started(seq=1, seats=self.seats, nonces=self.header.nonces, pending=self.pending_at(0))
        if position > self.moves:
            return self._finished_event(position)
        moment = self.moments[position]
        assert moment.line is not None, "only the deal comes about without a move"
        return Played(
            seq=position + 1,
            seat=moment.line.seat,
            mover=moment.line.mover,
            facts=[self.game.codec.encode_plain(fact) for fact in select_facts(moment.facts, seat)],
            pending=self.pending_at(position),
            move_counts=[*moment.played],
        )

    @property
    def seats(self) -> list[SeatInfo]:
        return [
            SeatInfo(
                name=sitter.name,
                kind=sitter.kind,
                connected=True,
                claimed=sitter.claimed is True,
                level=sitter.level or None,
            )
            for sitter in self.header.seats
        ]

    @property
    def _over(self) -> bool:
        return self.game.outcome(self.moments[-1].state) is not None

    def _finished_event(self, position: int) -> Finished:
        outcome = self.game.outcome(self.moments[-1].state)
        assert outcome is not None, "the result is shown of games that are over"
        return Finished(
            seq=position + 1,
            scores=[*outcome.scores],
            places=[*outcome.places],
            reason=outcome.reason,
            server_seed=self.header.server_seed,
        )


def _replay_moments(game: AnyGame, exported: ExportedGame) -> Iterator[Moment]:
    """Deal and replay every move up to the first that cannot be played; the verdict names its fault."""
    header = exported.header
    played = [0] * len(header.seats)
    state = game.deal(game.codec.decode_options(header.options), len(header.seats), dice_of(header), dealer_of(header))
    yield Moment(state, None, (), tuple(played))
    for line in exported.moves:
        try:
            step = play_move(game, state, Seat(line.seat), game.codec.decode_move(line.move))
        except CodecError:
            return
        if isinstance(step, Refusal):
            return
        state = step.state
        played[line.seat] += 1
        yield Moment(state, line, step.facts, tuple(played))


def parts_of(tags: Sequence[Collection[str]], movers: Sequence[int]) -> tuple[Kind, tuple[int, ...]]:
    """Return where parts begin: where the game says so, else whenever the first player moves again.

    Args:
        tags: The names of the facts at each position.
        movers: The seats of the moves.
    """
    for tag, kind in _OPENS.items():
        opened = [position for position, here in enumerate(tags) if tag in here]
        if opened:
            return kind, (0, *opened)
    # Not at each move of the first player, who may move several times in a row.
    return "lap", (0, *(n for n in range(1, len(movers)) if movers[n] == movers[0] != movers[n - 1]))


def _fact_tag(fact: Any) -> str:
    return str(fact.__struct_config__.tag)
