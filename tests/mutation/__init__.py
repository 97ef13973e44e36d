"""Mutation tests: faults in the rules that the tests must detect."""
