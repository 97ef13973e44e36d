"""The user's own decisions in reviewed games: kept beside the games, added up, and made again."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from scoville_client.i18n.language import format_number, tr
from scoville_client.replays.known_games import title_of
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.replays.source import open_game
from scoville_client.reviews.review import Leak, Review, add_up_leaks
from scoville_client.session.my_games import Decisions, GameFolder, Mistake, PlayedGame, group_by_game, users_games
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat

LATELY = 10
"""The latest reviewed games of a game, whose decisions are compared with those before."""


def keep_decisions(review: Review) -> None:
    """Keep a review's figures of the user's own decisions, if the game is one of theirs."""
    with suppress(OSError):  # on a full disk, or without a home folder: the review itself is not lost
        users_games().keep_decisions(review.reel.header, lambda seat: decisions_of(review, seat))


def decisions_of(review: Review, seat: Seat) -> Decisions:
    """Return a review's figures of one seat's decisions."""
    own = [move for move in review.moves if move.seat == seat]
    mistakes = [Mistake(move.position, move.kind.text, move.loss.mean) for move in own if move.kind is not None]
    # Not below 0: the best move was chosen on other samples, so a negative loss is chance, and must not pay for an
    # error.
    return Decisions(made=len(own), loss=sum(max(move.loss.mean, 0.0) for move in own), mistakes=mistakes)


class GameSummary(NamedTuple):
    """How a user did at one game, in the order of time.

    Attributes:
        slug: The game.
        places: The user's place in each game, and how many players it had.
        reviewed: The reviews of the user's decisions.
    """

    slug: str
    places: Sequence[tuple[int, int]]
    reviewed: Sequence[Decisions]

    @property
    def won(self) -> int:
        """How many games the user has won."""
        return sum(place == 1 for place, _ in self.places)

    @property
    def losses(self) -> list[float]:
        """Average loss of a decision in each reviewed game, of the chance to win."""
        return [mean_loss([each]) for each in self.reviewed]

    @property
    def trend(self) -> Phrase | None:
        """How the latest decisions compare with those before; None where too few were reviewed."""
        before, lately = self.reviewed[:-LATELY], self.reviewed[-LATELY:]
        if not before:  # of a few games the last half
            half = len(lately) // 2
            before, lately = lately[:half], lately[half:]
        if not sum(each.made for each in before) or not sum(each.made for each in lately):
            return None
        former, now = mean_loss(before), mean_loss(lately)
        # A ratio, so that one bound serves games whose moves cost much and games whose moves cost little.
        if now < former / _CLEARLY:
            return _BETTER
        return _WORSE if now > former * _CLEARLY else _SAME

    @property
    def costliest_habit(self) -> Leak | None:
        """The kind of error that cost most in all reviewed games; None without errors."""
        kinds = add_up_leaks(Leak(Phrase(each.kind), 1, each.loss) for kept in self.reviewed for each in kept.mistakes)
        return kinds[0] if kinds else None


_CLEARLY = 1.15
"""How many times as much the decisions of one half lose before they count as worse than those of the other."""
_BETTER, _SAME, _WORSE = Phrase("better than before"), Phrase("as good as before"), Phrase("worse than before")
_TOLD = 5
"""Ranks that are read out: listeners remember no more."""


def summarize_games(folder: GameFolder, games: Sequence[PlayedGame]) -> list[GameSummary]:
    """Summarize the games of a user by kind, the one that was played most first."""
    return [
        GameSummary(
            slug,
            [(game.place or 0, len(game.header.seats)) for game in played],
            [kept for game in played if (kept := folder.read_decisions(game.path)) is not None and kept.made],
        )
        for slug, played in group_by_game(games).items()
    ]


class OwnDecisions(NamedTuple):
    """How a user decides, from the latest reviews: by game, the one that was reviewed most first.

    `mistakes` counts those that the user has not made again, and right.
    """

    summaries: Sequence[GameSummary]
    mistakes: int


def read_own_decisions(folder: GameFolder) -> OwnDecisions:
    """Read the latest reviews' figures of the user's decisions."""
    kept = folder.list_decisions()
    reviewed: dict[str, list[Decisions]] = {}
    for slug, decisions in reversed(kept):
        if decisions.made:
            reviewed.setdefault(slug, []).append(decisions)
    by_number = sorted(reviewed.items(), key=lambda game: -len(game[1]))
    mistakes = sum(not mistake.solved for _, decisions in kept for mistake in decisions.mistakes)
    return OwnDecisions([GameSummary(slug, (), games) for slug, games in by_number], mistakes)


def habit_sentence(summary: GameSummary) -> str:
    """Name the user's costliest errors at a game, or how to find them."""
    if not summary.reviewed:
        return tr("Review a game to learn how well you decide: h in its replay.")
    habit = summary.costliest_habit
    if habit is None:
        return tr("The reviews of your games have found no clear error.")
    return tr("Your costliest habit: {kind} ({count} ×).", kind=habit.kind, count=habit.errors)


def summary_sentences(summary: GameSummary) -> Iterator[str]:
    """Say how a user did at a game: results, the latest places, and how well they decide."""
    title, places = title_of(summary.slug), [place for place, _ in summary.places]
    yield tr("{game}: you won {won} of {games}.", game=title, won=summary.won, games=len(places))
    if len(places) > 1:
        yield tr("Your latest ranks: {ranks}.", ranks=", ".join(map(str, places[-_TOLD:])))
    if summary.reviewed:
        if (trend := summary.trend) is not None:
            yield tr("Your decisions: {trend}.", trend=trend)
        loss = format_number(100 * mean_loss(summary.reviewed[-LATELY:]))
        yield tr("On average a decision costs {loss} % of the chance to win.", loss=loss)
        yield habit_sentence(summary)


def mean_loss(kept: Sequence[Decisions]) -> float:
    """Return the average loss of a decision, of the chance to win."""
    return sum(each.loss for each in kept) / sum(each.made for each in kept)


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
                # Rules of a later version may refuse a move on the way there.
                if kept.mistake.position <= reel.moves:
                    return Playback(reel, kept.seat, kept.mistake.position - 1)
            del self._left[0]
        return None

    def note_answer(self, *, right: bool) -> None:
        """Note how the user chose this time, and go on to the next one. A wrong one comes again another day."""
        kept = self._left.pop(0)
        decisions = self._folder.read_decisions(kept.path) if right else None
        if decisions is not None:
            with suppress(OSError):  # the decision then comes again, as after a wrong choice
                self._folder.write_decisions(kept.path, decisions.solve_mistake(kept.mistake.position))
