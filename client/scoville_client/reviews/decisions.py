"""The user's own decisions in reviewed games: kept beside the games, added up, and made again."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scoville_client.i18n.language import format_number, tr
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.replays.source import open_game
from scoville_client.reviews.review import Leak, Review, add_up_leaks
from scoville_client.session.my_games import Decisions, GameFolder, Mistake, PlayedGame, users_games
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat

LATELY = 10
"""The latest reviewed games of a game, whose decisions are compared with those before."""


def keep_decisions(review: Review) -> None:
    """Keep what a review says of the user's own decisions, if the game is one of theirs."""
    with suppress(OSError):  # on a full disk, or without a home folder: the review itself is not lost
        users_games().keep_decisions(review.reel.header, lambda seat: decisions_of(review, seat))


def decisions_of(review: Review, seat: Seat) -> Decisions:
    """Return what a review says of the decisions of one seat."""
    own = [move for move in review.moves if move.seat == seat]
    mistakes = [Mistake(move.position, move.kind.text, move.loss.mean) for move in own if move.kind is not None]
    return Decisions(made=len(own), loss=sum(max(move.loss.mean, 0.0) for move in own), mistakes=mistakes)


def decision_sentences(folder: GameFolder, games: Iterable[PlayedGame], game: str) -> Iterator[str]:
    """Say how well the user decides at a game lately and before, and which kind of error costs most."""
    paths = [each.path for each in games if each.header.game == game]
    found = [decisions for path in paths if (decisions := folder.read_decisions(path)) is not None]
    lately, before = found[:LATELY], found[LATELY:]
    if not sum(each.made for each in lately):
        return
    loss = format_number(_mean_loss(lately))
    if sum(each.made for each in before):
        former = format_number(_mean_loss(before))
        yield tr("a decision loses {loss} % lately, before {former} %", loss=loss, former=former)
    else:
        yield tr("a decision loses {loss} %", loss=loss)
    leaks = add_up_leaks(Leak(Phrase(each.kind), 1, each.loss) for kept in found for each in kept.mistakes)
    if leaks:
        yield tr("what costs most: {kind} ({count} ×)", kind=leaks[0].kind, count=leaks[0].errors)


def _mean_loss(kept: Iterable[Decisions]) -> float:
    """Return the mean loss of a decision in percent."""
    kept = [*kept]
    return 100 * sum(each.loss for each in kept) / sum(each.made for each in kept)


class KeptMistake(NamedTuple):
    """A mistake and the file of its game, with the user's seat."""

    path: Path
    seat: Seat
    mistake: Mistake


class OwnMistakes:
    """The user's mistakes that are not solved yet, one after the other, the costliest first."""

    def __init__(self, folder: GameFolder) -> None:
        self._folder = folder
        kept = [
            KeptMistake(game.path, game.seat, mistake)
            for game in folder.list_games()
            if (decisions := folder.read_decisions(game.path)) is not None
            for mistake in decisions.mistakes
            if not mistake.solved
        ]
        self._left = sorted(kept, key=lambda each: -each.mistake.loss)
        self.count = len(self._left)

    @property
    def number(self) -> int:
        """Which of them is shown, counted from 1."""
        return self.count - len(self._left) + 1

    @property
    def position(self) -> int | None:
        """The position before the decision; None when all are done."""
        return self._left[0].mistake.position - 1 if self._left else None

    def open_game(self) -> Playback | None:
        """Open the game of the mistake that is next, at its position; None when all are done."""
        while self._left:
            kept = self._left[0]
            with suppress(ScovilleError):  # a file that was damaged or removed meanwhile
                reel = Reel(open_game(str(kept.path)))
                if kept.mistake.position <= reel.moves:
                    return Playback(reel, kept.seat, kept.mistake.position - 1)
            del self._left[0]
        return None

    def note_answer(self, *, right: bool) -> None:
        """Note how the user chose this time, and go on to the next one. A wrong one comes again another day."""
        kept = self._left.pop(0)
        decisions = self._folder.read_decisions(kept.path) if right else None
        if decisions is not None:
            with suppress(OSError):
                self._folder.write_decisions(kept.path, decisions.solve_mistake(kept.mistake.position))
