"""One table as a pure value: commands are decided into records, records evolve it, projections show it to watchers."""
