"""May it happen? Each subject judges its own commands; `table.decide` is their one entrance."""
