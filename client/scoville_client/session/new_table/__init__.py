"""Draft of a new table: its game, options and settings, as the dialogs and the line mode fill it in."""
