"""The games, each in a folder of its own, found through the entry-point group `scoville.games`."""
