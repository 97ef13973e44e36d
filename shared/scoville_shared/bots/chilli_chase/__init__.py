"""Bots for Chilli Chase."""
