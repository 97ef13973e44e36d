"""Backups of a data folder: copying and restoring it, series of backups, backups through a pipe."""
