"""Everyone who follows a table: watchers, spectators, polls and presence."""
