"""Reasons of the coach of Dicht dran, one sentence for each card."""

from collections.abc import Sequence
from math import comb

from scoville_shared.bots.dicht_dran.kernel import SLOTS, closeness
from scoville_shared.coach.sample import Figures
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.state import View
from scoville_shared.values import Plain

_FITS = Phrase("fits the gap; {rivals}; peppers in this round: {peppers}")
_DRAWS = Phrase(
    "does not fit: draws {count} card if it does not win; {rivals}; peppers in this round: {peppers}",
    many="does not fit: draws {count} cards if it does not win; {rivals}; peppers in this round: {peppers}",
)
_UNBEATABLE = Phrase("no card beats it")
_BEATEN = Phrase("only the {cards} beats it; {percent} % that somebody holds it")
_BEATEN_BY_FEW = Phrase("only {cards} beat it; {percent} % that somebody holds one of them")
_BEATEN_BY_MANY = Phrase("{count} unseen cards beat it: wins the target in {wins} %")

_LATER = Phrase("{why}, but pays off in later rounds")
_MISFIT = Phrase("{why}, but pays off in later rounds: as the circle lies, it fits none of the next 5 gaps")
_HARDLY_FITS = Phrase("{why}, but pays off in later rounds: as the circle lies, it fits only one of the next 5 gaps")

_ALWAYS = Phrase("If only this round counted: always the {card}. Nobody can exploit that.")
_IN_TURN = Phrase("If only this round counted: {cards}. Nobody can exploit that.")
_PART = Phrase("the {card} in {percent} % of cases")

FEW = 3
NOTICEABLE = 0.3
"""Peppers in a round that make a difference."""


def reason(view: View, figures: Figures, others: Sequence[Figures], unseen: Sequence[int]) -> Phrase:
    """Say what speaks for or against a card; of the best one also that it pays off later, where it does."""
    why = _reason(view, figures, unseen)
    most = max(other.second for other in others)
    later = figures.behind.mean <= 0 and most > figures.second + NOTICEABLE
    return _later(view, figures, others).of({"why": why}) if later else why


def _later(view: View, figures: Figures, others: Sequence[Figures]) -> Phrase:
    """Say that a card pays off later, and whether that is because it would hardly fit then, unlike the others."""
    fits = [next_gaps_that_fit(view, int(other.move["card"])) for other in others]
    mine = next_gaps_that_fit(view, int(figures.move["card"]))
    if mine > 1 or len(fits) * mine >= sum(fits):
        return _LATER
    return _HARDLY_FITS if mine else _MISFIT


def next_gaps_that_fit(view: View, card: int) -> int:
    """Count the gaps of the next five rounds that a card would fit if the circle stayed as it is."""
    circle, target = view.board.circle, view.board.target
    around = [(circle[(target + step - 1) % SLOTS], circle[(target + step + 1) % SLOTS]) for step in range(1, SLOTS)]
    return sum(min(pair) < card < max(pair) for pair in around)


def mixture(moves: Sequence[Plain], shares: Sequence[float]) -> Phrase:
    """Say how often an equilibrium of the round plays each card, the most frequent first."""
    order = sorted(zip(shares, moves, strict=True), key=lambda each: -each[0])
    parts = [_PART.of({"card": int(move["card"]), "percent": round(100 * share)}) for share, move in order if share > 0]
    return _ALWAYS.of({"card": int(order[0][1]["card"])}) if len(parts) == 1 else _IN_TURN.of({"cards": parts})


def _reason(view: View, figures: Figures, unseen: Sequence[int]) -> Phrase:
    card = int(figures.move["card"])
    low, high = view.board.gap
    target = view.board.target_card
    closer = [other for other in unseen if closeness(other, target) < closeness(card, target)]
    peppers = peppers_by_card(view.board.options.peppers)[card]
    others = sum(view.board.hands) - view.board.hands[view.seat or 0]
    fields: Fields = {
        "count": peppers,
        "peppers": round(figures.second, 1),
        "rivals": _rivals(closer, held(len(closer), others, len(unseen)), figures.first),
    }
    return _FITS.of(fields) if low < card < high else _DRAWS.of(fields, peppers)


def held(cards: int, hands: int, unseen: int) -> float:
    """Return how likely at least one of some cards is in the other hands, if every deal is equally likely."""
    return 1.0 - comb(unseen - cards, hands) / comb(unseen, hands)


def _rivals(closer: Sequence[int], chance: float, wins: float) -> Phrase:
    if not closer:
        return _UNBEATABLE
    fields: Fields = {"cards": closer, "count": len(closer), "percent": round(100 * chance), "wins": round(100 * wins)}
    if len(closer) == 1:
        return _BEATEN.of(fields)
    return (_BEATEN_BY_FEW if len(closer) <= FEW else _BEATEN_BY_MANY).of(fields)
