"""Dialogs of the coach."""
