"""Damaging the files of a server and starting it again: what it does must be what it says.

`tests/e2e/test_corrupt.py` damages a few places, `scripts/corrupt` as many as one likes.
"""
