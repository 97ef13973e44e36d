"""Drivers of the terminal: restored on every exit; colours, signs and the window title adapted to it."""
