"""Top: a screen about a running server for those who host it, with acts. It knows no session and no game."""
