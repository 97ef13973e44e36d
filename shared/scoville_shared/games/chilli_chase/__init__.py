"""Chilli Chase: combine a card with the running total of the Hot Pile, and hit your Chilli Score."""

from scoville_shared.games.chilli_chase.game import GAME

__all__ = ["GAME"]
