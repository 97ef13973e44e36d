"""No Thanks!: take the card, or pay a chip to leave it to your neighbour."""

from scoville_shared.games.no_thanks.game import GAME

__all__ = ["GAME"]
