"""An evening at a cluster whose nodes all serve: two hundred users, four ways of joining, and a fault every while."""
