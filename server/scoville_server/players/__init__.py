"""What is known of players: results, ratings, and how reliable they are, as plain facts. Pure."""
