"""A cluster of real processes under play: nodes that are killed, stopped and paused, and what that costs."""
