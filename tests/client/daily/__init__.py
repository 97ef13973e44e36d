"""Tests of the daily deal in clients."""
