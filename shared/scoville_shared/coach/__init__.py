"""The coach: what every legal move is worth to a seat, and a review of finished games; pure."""
