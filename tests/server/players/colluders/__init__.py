"""Two colluders against honest players: whole games at real tables with real ratings, by the thousand."""
