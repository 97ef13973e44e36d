"""Tournaments: the list, one with its standings and tables, and the form that calls one."""
