"""Tests of what both ends run on."""
