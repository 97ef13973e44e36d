"""Damaging a server's files and restarting it: it reports exactly what it has lost.

`tests/e2e/test_corrupt.py` damages a few places, `scripts/corrupt` as many as one likes.
"""
