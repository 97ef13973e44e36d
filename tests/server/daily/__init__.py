"""Tests of the daily deal on a server."""
