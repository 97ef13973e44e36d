"""Dialogs, each typed by what it returns."""
