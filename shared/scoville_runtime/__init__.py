"""Runtime below both ends: clock, back-off, files, logs. Each is here once, and none knows a game."""
