"""Rates, budgets, fair shares and penalties: pure arithmetic over a time that is passed in."""
