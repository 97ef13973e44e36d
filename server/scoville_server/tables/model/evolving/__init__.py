"""It happened: each subject lets its own records happen to a table; `table.evolve` is their one entrance."""
