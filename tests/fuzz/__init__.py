"""Whatever clients ask, in any order: short in the tests, for minutes with `scripts/fuzz`."""
